package gopgo

import (
	"bytes"
	"compress/gzip"
	"errors"
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
	if head, err := lines.Next(); err != nil || string(head) != textHead {
		return nil, errors.Join(err, lines.Fail(ErrSyntax))
	}
	var group []string // lines of an edge
	for line, err := range lines.All() {
		if err != nil {
			return nil, err
		}
		group = append(group, string(line))
		if len(group) < 3 {
			continue
		}
		e := edge{caller: p.indexOf(group[0]), callee: p.indexOf(group[1])}
		if !e.parseNumbers(group[2]) {
			return nil, lines.Fail(ErrSyntax)
		}
		p.edges = append(p.edges, e)
		group = group[:0]
	}
	if len(group) > 0 {
		return nil, lines.Fail(ErrSyntax)
	}
	return p, nil
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
