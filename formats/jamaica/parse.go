package jamaica

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/parse"
	"github.com/profarc/profarc/layout"
)

// ReadOptions say how a text is read. The zero value is of use.
type ReadOptions struct {
	Name   string         // of the text, for errors
	Config builder.Config // what the archive says of itself
}

// Read reads a text into a builder of its own, all of its runs together. The
// error is a [*SyntaxError] where the text is not what a VM writes.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	report := &Report{}
	t, err := parseText(r, o.Name, report)
	if err != nil {
		return nil, nil, err
	}
	b := builder.New(layout.DomainJamaica, o.Config)
	if err := t.build(b, t.splitRuns(), report); err != nil {
		return nil, nil, inFile(o.Name, err)
	}
	return b, report, nil
}

// ReadRuns reads a text into a builder for each of its runs. Lines with a
// keyword that is not known are those of the first.
func ReadRuns(r io.Reader, o ReadOptions) ([]*builder.Builder, *Report, error) {
	report := &Report{}
	t, err := parseText(r, o.Name, report)
	if err != nil {
		return nil, nil, err
	}
	var builders []*builder.Builder
	for _, run := range t.splitRuns() {
		b := builder.New(layout.DomainJamaica, o.Config)
		if err := t.build(b, [][]record{run}, report); err != nil {
			return nil, nil, inFile(o.Name, err)
		}
		t.foreign = nil
		builders = append(builders, b)
	}
	return builders, report, nil
}

func inFile(name string, err error) error {
	if name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// A lineReader gives lines without their ends. Of a line that is longer than
// parse.MaxJamaicaLine it gives the beginning.
type lineReader struct {
	in     *bufio.Reader
	number int    // of the line, from 1
	text   []byte // valid until the next line
	long   bool   // there was more
	ended  bool   // a line break ends it
}

// next reads a line; the error is io.EOF behind the last.
func (l *lineReader) next() error {
	l.text, l.long, l.ended = l.text[:0], false, false
	l.number++
	for {
		part, err := l.in.ReadSlice('\n')
		if room := parse.MaxJamaicaLine - len(l.text); len(part) > room {
			part, l.long = part[:room], true
		}
		l.text = append(l.text, part...)
		switch {
		case err == nil:
			l.ended = true
			l.text = bytes.TrimRight(bytes.TrimSuffix(l.text, []byte("\n")), "\r")
			return nil
		case err == io.EOF && len(l.text) > 0:
			l.text = bytes.TrimRight(l.text, "\r")
			return nil
		case err != bufio.ErrBufferFull:
			return err
		}
	}
}

// A nameID is a name of the text; 0 is none.
type nameID uint32

// names interns the names of a text.
type names struct {
	ids  map[string]nameID
	list []string // by nameID-1
}

func (n *names) intern(text string) nameID {
	if id, ok := n.ids[text]; ok {
		return id
	}
	n.list = append(n.list, text)
	id := nameID(len(n.list))
	n.ids[text] = id
	return id
}

func (n *names) text(id nameID) string {
	if id == 0 {
		return ""
	}
	return n.list[id-1]
}

// A foreignLine has a keyword that is not known.
type foreignLine struct{ key, values string }

// A text is all that a file says.
type text struct {
	names   names
	records []record
	foreign []foreignLine
}

// parseText reads all lines. The error is a [*SyntaxError], or that of r.
func parseText(r io.Reader, name string, report *Report) (*text, error) {
	t := &text{names: names{ids: map[string]nameID{}}}
	lines := &lineReader{in: bufio.NewReaderSize(r, 1<<16)}
	for {
		err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := t.add(lines, report); err != nil {
			err.Name = name
			return nil, err
		}
	}
	if len(t.records) == 0 {
		return nil, &SyntaxError{Name: name, Kind: ErrNoProfile}
	}
	return t, nil
}

// add takes a line.
func (t *text) add(lines *lineReader, report *Report) *SyntaxError {
	word, key, rest, known := cutKeyword(lines.text)
	switch {
	case lines.long && word != nil:
		return &SyntaxError{Line: lines.number, Column: parse.MaxJamaicaLine, Kind: parse.Exceeded("a line of more than %d bytes", parse.MaxJamaicaLine)}
	case word == nil:
		if len(bytes.TrimSpace(lines.text)) > 0 {
			report.Lost.AddAt(LossLine, lines.number)
		}
		return nil
	}
	report.Lines++
	if !known {
		t.foreign = append(t.foreign, foreignLine{string(word), string(bytes.Trim(lines.text[rest:], " \t\r"))})
		return nil
	}
	r := record{key: key, line: lines.number}
	l := line{text: lines.text, at: rest, form: &forms[key]}
	if expected, column := l.parse(&r, t.names.intern); expected != "" {
		kind := ErrSyntax
		if !lines.ended {
			kind = ErrCut
		}
		return &SyntaxError{Line: lines.number, Column: column + 1, Kind: kind, Expected: expected, Found: shorten(lines.text[column:])}
	}
	t.note(&r, report)
	t.records = append(t.records, r)
	return nil
}

// note counts what of a line is not kept.
func (t *text) note(r *record, report *Report) {
	if r.fraction {
		report.Lost.AddAt(LossFraction, r.line)
	}
	if r.passed {
		report.Lost.AddAt(LossWords, r.line)
	}
	if r.oddMark || r.interpreted && r.key == keyInvoke {
		report.Lost.AddAt(LossMark, r.line)
	}
}

// A statement is what a run says once at most.
type statement struct {
	key         keyword
	interpreted bool
	point       uint64
	names       [2]nameID
}

// statement is what a record says. It is not ok if a run may say it again:
// signatures that are cut short may be of several methods.
func (t *text) statement(r *record) (s statement, ok bool) {
	s = statement{key: r.key, interpreted: r.interpreted, names: r.names}
	f := &forms[r.key]
	if r.key == keyThread {
		return s, false
	}
	for i, n := range f.numbers {
		if n.kind == point {
			s.point = r.numbers[i]
		}
	}
	for i := range f.names {
		if f.methods && !isWhole(t.names.text(r.names[i])) {
			return s, false
		}
	}
	return s, true
}

// A block is a row of records of one part.
type block struct {
	part  part
	start int
	prev  int // the block before of the same part, -1 if there is none
}

// blocks cuts the records where another part begins.
func (t *text) blocks() []block {
	list := []block{{part: partAny, prev: -1}}
	last := [partAny]int{-1, -1, -1}
	for i := range t.records {
		p := forms[t.records[i].key].part
		if p == partAny || p == list[len(list)-1].part {
			continue
		}
		list = append(list, block{p, i, last[p]})
		last[p] = len(list) - 1
	}
	return list
}

// splitRuns finds where the runs of a text begin; see the package comment.
func (t *text) splitRuns() (runs [][]record) {
	type place struct{ record, block int }
	said := map[statement]place{}
	blocks := t.blocks()
	start, at := 0, 0
	for i := range t.records {
		if at+1 < len(blocks) && blocks[at+1].start == i {
			at++
		}
		s, ok := t.statement(&t.records[i])
		if !ok {
			continue
		}
		if before, ok := said[s]; ok && before.record >= start {
			next := i
			if again := restart(blocks, before.block, start); again <= i {
				next = again
			}
			runs = append(runs, t.records[start:next])
			start = next
		}
		said[s] = place{i, at}
	}
	return append(runs, t.records[start:])
}

// restart is where, behind a block, a part begins again that the run from start
// on had. There are so few parts that one of the next blocks is it.
func restart(blocks []block, behind, start int) int {
	for _, b := range blocks[behind+1:] {
		if b.prev >= 0 && blocks[b.prev+1].start > start {
			return b.start
		}
	}
	return math.MaxInt
}
