package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/parse"
	"github.com/profarc/profarc/layout"
)

// ReadOptions say how a text is read. The zero value is of use.
type ReadOptions struct {
	Name string // of the text, for errors
	// Config is what the archive says of itself beside what the text says: a
	// producer, time, fingerprint or dump id that is set here takes the place
	// of the text's. Params and Flags are the text's.
	Config builder.Config
	// Unordered leaves the table of the source order out.
	Unordered bool
}

// Detect reports whether a text that begins with head is one of an archive, of
// whatever version.
func Detect(head []byte) bool { return bytes.HasPrefix(head, []byte(firstWords)) }

// Read reads a text into a builder of its own. The error is an [*Error] where the text is
// not understood, or that of r.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	p := &parser{o: o, lines: parse.NewLines(r, o.Name)}
	p.refOf = p.cellRef
	err := p.read()
	if e := (*Error)(nil); err != nil && o.Name != "" && !errors.As(err, &e) {
		err = fmt.Errorf("%s: %w", o.Name, err)
	}
	if err != nil {
		return nil, nil, err
	}
	p.report.Lines = p.lines.Line
	return p.b, &p.report, nil
}

// A parser reads one text.
type parser struct {
	cursor
	o      ReadOptions
	lines  *parse.Lines
	report Report
	head   head // what the header said so far
	b      *builder.Builder
	shape  disk.Shape
	refs   refs
	ended  bool // the line "end" was read
	// failure is what is wrong with a line beside its words.
	failure error

	method   builder.MethodRef // whose lines are being read, 0 if none is
	profile  openProfile
	profiles profileIndex
	table    openTable
	tables   map[layout.TableKind]bool // that the text has
	frames   []builder.Frame

	entry openEntry
	refOf func(cell int, kind disk.CellKind) uint64 // cellRef
	bytes []byte                                    // scratch
}

func (p *parser) read() error {
	if err := p.first(); err != nil {
		return err
	}
	for {
		line, err := p.lines.Next()
		if err == io.EOF {
			return p.last()
		}
		if err != nil {
			return err
		}
		if err := p.take(line); err != nil {
			return err
		}
	}
}

// first reads the first line.
func (p *parser) first() error {
	line, err := p.lines.Next()
	if err != nil && err != io.EOF {
		return err
	}
	p.cursor = cursor{parse.Cursor{Line: line}}
	if !Detect(line) {
		return p.lines.FailAt(&p.Cursor, ErrFormat)
	}
	p.Expect(firstLine)
	if p.end(); !p.OK() {
		return p.lines.FailAt(&p.Cursor, ErrVersion)
	}
	return nil
}

// last is behind the last line.
func (p *parser) last() error {
	if !p.ended {
		return p.lines.Fail(ErrCut)
	}
	return p.b.Err()
}

// take reads one line.
func (p *parser) take(line []byte) error {
	p.cursor = cursor{parse.Cursor{Line: line}}
	if p.nextToken() {
		p.dispatch()
	} else if p.end(); p.At == len(line) {
		p.close() // so that what follows a method that was deleted is not taken for another's
	}
	p.end()
	if p.failure != nil {
		return p.failure
	}
	if err := p.lines.Missing(&p.Cursor, ErrSyntax); err != nil || p.b == nil {
		return err
	}
	if err := p.b.Err(); err != nil {
		return p.lines.Fail(err)
	}
	return nil
}

// refuse keeps the error of what began in a line and cannot be in an archive.
func (p *parser) refuse(line parse.Place, err error) {
	if err != nil && p.failure == nil {
		p.failure = line.Fail(err)
	}
}
