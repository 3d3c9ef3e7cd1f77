package gopgo

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/stacks/pprof"
)

// ErrSyntax means that a line is not from go tool preprofile.
var ErrSyntax = errors.New("not the text of go tool preprofile: caller, callee, and offset with weight, a line each")

// An Importer reads the text of go tool preprofile. It has no options. Each edge becomes a stack of two frames.
type Importer struct{}

const textHead = "GO PREPROFILE V1"

// Format implements [codec.Importer].
func (*Importer) Format() codec.Format {
	return codec.Format{Name: "preprofile", About: "the text of go tool preprofile, as gopgo with preprocessed writes it"}
}

// Detect implements [codec.Importer].
func (*Importer) Detect(head []byte, _ bool) bool { return bytes.HasPrefix(head, []byte(textHead)) }

// Import reads all edges. The error matches ErrSyntax for a malformed line.
func (*Importer) Import(in *codec.Input) (*codec.Report, error) {
	p, err := readText(in)
	if err != nil {
		return nil, err
	}
	var binary bytes.Buffer
	if err := p.writeProfile(&binary); err != nil {
		return nil, err
	}
	plain, err := gzip.NewReader(&binary)
	if err != nil {
		return nil, err
	}
	converted := *in
	converted.Reader = plain
	report, err := (&pprof.Importer{}).Import(&converted)
	if err != nil {
		return nil, err
	}
	report.Lost = slices.DeleteFunc(report.Lost, func(l codec.Loss) bool { return l.What == pprof.LossAddresses })
	return report, nil
}

func readText(in *codec.Input) (*profile, error) {
	p := &profile{kind: "samples", unit: "count", indexes: map[string]int32{}}
	lines := parse.NewLines(in, in.Name)
	next := func() (string, error) {
		line, err := lines.Next()
		if err == io.EOF {
			err = lines.Fail(ErrSyntax)
		}
		return string(line), err
	}
	head, err := next()
	if err != nil || head != textHead {
		return nil, errors.Join(err, lines.Fail(ErrSyntax))
	}
	for {
		caller, err := lines.Next()
		if err == io.EOF {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		e := edge{caller: p.indexOf(string(caller))}
		callee, err := next()
		if err != nil {
			return nil, err
		}
		e.callee = p.indexOf(callee)
		numbers, err := next()
		if err != nil {
			return nil, err
		}
		if !e.parseNumbers(numbers) {
			return nil, lines.Fail(ErrSyntax)
		}
		p.edges = append(p.edges, e)
	}
}

// parseNumbers sets point and weight, and reports whether they are valid.
func (e *edge) parseNumbers(text string) bool {
	offset, weight, _ := strings.Cut(text, " ")
	point, err := strconv.ParseInt(offset, 10, 32)
	if err != nil {
		return false
	}
	e.point = int32(point)
	e.weight, err = strconv.ParseInt(weight, 10, 64)
	return err == nil && e.weight >= 0
}
