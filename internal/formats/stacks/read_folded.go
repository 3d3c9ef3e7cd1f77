package stacks

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/layout"
)

// ErrSyntax means that a line is not a stack.
var ErrSyntax = errors.New("not a stack in collapsed form, as root;caller;leaf 12")

// An Importer reads stacks in collapsed form. It has no options.
type Importer struct{}

// Format implements [codec.Importer].
func (*Importer) Format() codec.Format {
	return codec.Format{Name: "folded", About: "sampled stacks in collapsed form, a line each: root;caller;leaf 12"}
}

// detectedLines is the maximum number of lines that Detect reads.
const detectedLines = 32

// Detect implements [codec.Importer]. All lines must be stacks, and one stack must have a caller.
func (*Importer) Detect(head []byte, whole bool) bool {
	callers := false
	for n := 0; n < detectedLines && len(head) > 0; n++ {
		line, rest, complete := bytes.Cut(head, []byte("\n"))
		if !complete && !whole {
			break
		}
		head = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			continue
		}
		frames, _, ok := splitCount(line)
		if !ok || bytes.ContainsAny(line, "\t{}") {
			return false
		}
		callers = callers || bytes.IndexByte(frames, ';') > 0
	}
	return callers
}

func splitCount(line []byte) (frames []byte, n uint64, ok bool) {
	at := bytes.LastIndexByte(line, ' ')
	if at < 1 {
		return nil, 0, false
	}
	n, err := strconv.ParseUint(string(line[at+1:]), 10, 64)
	return line[:at], n, err == nil
}

// Import reads all lines. The points of frames are 0. The error matches ErrSyntax for a malformed line.
func (*Importer) Import(in *codec.Input) (*codec.Report, error) {
	b := builder.New(layout.DomainSampled, in.Config)
	report := &codec.Report{Dumps: []*builder.Builder{b}}
	r := NewRecorder(b, &report.Lost)
	read := 0
	var stack []NamedFrame
	lines := parse.NewLines(in, in.Name)
	for line, err := range lines.All() {
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		frames, n, ok := splitCount(line)
		if !ok {
			return nil, lines.Fail(ErrSyntax)
		}
		stack = stack[:0]
		for name := range bytes.SplitSeq(frames, []byte(";")) {
			if string(name) == unknownFunction {
				name = nil
			}
			stack = append(stack, NamedFrame{Name: string(name)})
		}
		slices.Reverse(stack)
		if err := r.Add(stack, n); err != nil {
			return nil, err
		}
		read++
	}
	var err error
	report.Methods, report.Entries, err = r.Record()
	report.Facts = map[string]any{"stacks": read}
	return report, err
}
