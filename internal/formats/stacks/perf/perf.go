// Package perf reads the output of Linux's perf script.
//
//	perf record -g ./app
//	perf script > app.perf
//
// A sample begins with a line that has the command, the process, the time and the event. A line with address, symbol
// and file follows for each frame, leaf first. With perf script -F +srcline, each frame has another line with source
// file and line. Samples of all processes and events are merged. Samples without frames, recorded without -g, are lost.
package perf

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/layout"
)

// Losses of the import.
const (
	LossNoStack codec.LossKind = "samples without a stack: record with perf record -g"
	LossPeriods codec.LossKind = "periods of events: each sample counts as one"
)

// ErrSyntax means that a line is not from perf script.
var ErrSyntax = errors.New("neither the head of a sample nor a frame, as perf script prints them")

// An Importer reads the output of perf script. It has no options.
type Importer struct{}

// Format implements [codec.Importer].
func (*Importer) Format() codec.Format {
	return codec.Format{Name: "perf", About: "the output of Linux's perf script"}
}

var (
	// head matches the first line of a sample with command, process, optional processor, time, optional period and event.
	sampleLine = regexp.MustCompile(`^\S.*?\s+-?[0-9]+(?:/-?[0-9]+)?\s+(?:\[[0-9]+\]\s+)?[0-9]+\.[0-9]+:\s+(?:([0-9]+)\s+)?\S+:\s*(?:\S+:\s*)?$`)
	// frame matches a frame with address, symbol, optional offset and file.
	frameLine = regexp.MustCompile(`^\s+([0-9a-f]+) (.*) \((.*)\)$`)
	// offset matches the offset after a symbol.
	symbolOffset = regexp.MustCompile(`\+0x[0-9a-f]+$`)
	// place matches a source file and line.
	sourceLine = regexp.MustCompile(`^\s+\S.*:([0-9]+)(?: \(discriminator [0-9]+\))?$`)
)

// Detect implements [codec.Importer]. The first lines must be the head of a sample and a frame.
func (*Importer) Detect(start []byte, _ bool) bool {
	seen := false
	for n, line := 0, []byte(nil); n < 64 && len(start) > 0; n++ {
		line, start, _ = bytes.Cut(start, []byte("\n"))
		switch line = bytes.TrimRight(line, "\r \t"); {
		case len(line) == 0 || line[0] == '#':
		case seen:
			return frameLine.Match(line)
		case sampleLine.Match(line):
			seen = true
		default:
			return false
		}
	}
	return false
}

// A sample is the current sample of an import.
type sample struct {
	open  bool // the head was read
	stack []stacks.NamedFrame
}

// Import reads all samples. The error matches ErrSyntax for a malformed line.
func (*Importer) Import(in *codec.Input) (*codec.Report, error) {
	b := builder.New(layout.DomainSampled, in.Config)
	report := &codec.Report{Dumps: []*builder.Builder{b}}
	r := stacks.NewRecorder(b, &report.Lost)
	read := 0
	var s sample
	end := func() error {
		if !s.open {
			return nil
		}
		s.open = false
		read++
		if len(s.stack) == 0 {
			report.Lost.Add(LossNoStack, 1)
			return nil
		}
		return r.Add(s.stack, 1)
	}
	lines := parse.NewLines(in, in.Name)
	for line, err := range lines.All() {
		if err != nil {
			return nil, err
		}
		line = bytes.TrimRight(line, " \t")
		if len(line) > 0 && line[0] == '#' {
			continue
		}
		m := sampleLine.FindSubmatch(line)
		switch {
		case len(line) == 0:
			err = end()
		case m != nil:
			err = end()
			s.open = true
			s.stack = s.stack[:0]
			if len(m[1]) > 0 {
				report.Lost.Add(LossPeriods, 1)
			}
		case !s.open || !s.parseLine(line):
			err = lines.Fail(ErrSyntax)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := end(); err != nil {
		return nil, err
	}
	var err error
	report.Methods, report.Entries, err = r.Record()
	report.Facts = map[string]any{"samples": read}
	return report, err
}

// parseLine parses a line after the head, and reports whether it is valid.
func (s *sample) parseLine(line []byte) bool {
	if m := frameLine.FindSubmatch(line); m != nil {
		name := string(symbolOffset.ReplaceAll(m[2], nil))
		if name == "[unknown]" {
			name = ""
		}
		s.stack = append(s.stack, stacks.NamedFrame{Name: name})
		return true
	}
	m := sourceLine.FindSubmatch(line)
	if m == nil || len(s.stack) == 0 {
		return false
	}
	if n, err := strconv.ParseInt(string(m[1]), 10, 32); err == nil {
		s.stack[len(s.stack)-1].Line = int32(n)
	}
	return true
}
