package jamaica

import (
	"bufio"
	"bytes"
	"io"

	"github.com/profarc/profarc/internal/parse"
)

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

// Detect reports whether the beginning of a file is a JamaicaVM's: it has a
// line that begins with a keyword and has its values.
func Detect(head []byte) bool {
	scratch := names{ids: map[string]nameID{}}
	for line := range bytes.Lines(head) {
		if detectLine(bytes.TrimRight(line, "\r\n"), &scratch) {
			return true
		}
	}
	return false
}

func detectLine(text []byte, scratch *names) bool {
	_, key, rest, known := cutKeyword(text)
	if !known || len(text) > parse.MaxJamaicaLine {
		return false
	}
	l := line{text: text, at: rest, form: &forms[key]}
	expected, _ := l.parse(&record{}, scratch.intern)
	return expected == ""
}
