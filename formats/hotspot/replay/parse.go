package replay

import (
	"bytes"
	"io"
	"math"
	"strings"

	"github.com/profarc/profarc/internal/parse"
)

// The kinds of lines.
const (
	kindVersion = "version"
	kindAgent   = "JvmtiExport"
	kindLoaded  = "instanceKlass"
	kindKlass   = "ciInstanceKlass"
	kindField   = "staticfield"
	kindMethod  = "ciMethod"
	kindData    = "ciMethodData"
	kindCompile = "compile"

	commentMark = "#"
)

// maxVersion is the last version of replay files that is known.
const maxVersion = 2

// prompt stands in front of what jhsdb's dumpreplaydata prints.
const prompt = "hsdb> "

// Detect reports whether a file that begins so is a replay file.
func Detect(head []byte) bool {
	for text := range bytes.Lines(head) {
		text = bytes.TrimPrefix(text, []byte(prompt))
		word, rest, _ := bytes.Cut(bytes.TrimSpace(text), []byte(" "))
		switch string(word) {
		case "", commentMark:
			continue
		case kindVersion:
			return len(rest) == 1
		case kindAgent, kindLoaded, kindKlass, kindField, kindMethod, kindData, kindCompile:
			return len(rest) > 0
		}
		return false
	}
	return false
}

// parseFile reads a file. The error is a [*hotspot.TextError] where the file is
// not what a VM writes.
func parseFile(r io.Reader, name string) (*recording, error) {
	p := parser{lines: parse.NewLines(r, name)}
	for {
		line, err := p.lines.Next()
		switch {
		case err == io.EOF:
			return p.finish()
		case err != nil:
			return nil, err
		case !p.lines.Whole && !(p.finished && mayFollow(line)):
			return nil, p.unfinished(line)
		}
		if err := p.line(line); err != nil {
			return nil, err
		}
	}
}

// A parser puts a recording together.
type parser struct {
	recording
	lines             *parse.Lines
	started, finished bool // a line was seen; the last line was
}

// mayFollow reports whether a line may stand after the last one of a recording.
func mayFollow(line []byte) bool {
	return len(bytes.TrimSpace(line)) == 0 || bytes.HasPrefix(line, []byte(strings.TrimSpace(prompt)))
}

// unfinished returns the error of a line without an end.
func (p *parser) unfinished(line []byte) error {
	if !p.started && !Detect(line) {
		return p.noReplay(line)
	}
	return p.lines.Fail(ErrCut)
}

// noReplay returns the error of a file whose first line is no replay file's.
func (p *parser) noReplay(line []byte) error {
	e := p.lines.Fail(ErrNoReplay)
	e.Found = parse.Shorten(line)
	return e
}

// finish is called at the end of the file.
func (p *parser) finish() (*recording, error) {
	switch {
	case !p.started:
		return nil, parse.Place{Name: p.lines.Name}.Fail(ErrNoReplay)
	case !p.finished:
		p.lines.Line++ // the line that is missing
		return nil, p.lines.Fail(ErrCut)
	}
	return &p.recording, nil
}

// line reads one line.
func (p *parser) line(line []byte) error {
	c := &cursor{parse.Cursor{Line: line}, p.lines.Place}
	if p.finished {
		if !mayFollow(line) {
			c.Miss("the end of the file")
		}
		return c.err()
	}
	c.Skip(prompt)
	c.Spaces()
	if rest := c.Rest(); len(rest) == 0 || rest[0] == commentMark[0] {
		return nil
	}
	return p.record(c)
}

// record reads one line after the spaces at its start.
func (p *parser) record(c *cursor) error {
	text, at := c.word("a kind of line")
	kind := string(text)
	if !p.started && !Detect(c.Line) {
		return p.noReplay(c.Line)
	}
	switch kind {
	case kindVersion:
		if err := p.versionLine(c); err != nil {
			return err
		}
	case kindAgent:
		p.capabilities = append(p.capabilities, capability{c.name("a capability"), c.flag()})
	case kindLoaded, kindKlass:
		p.klass(c, kind)
	case kindField:
		return p.field(c)
	case kindMethod:
		p.method(c)
	case kindData:
		p.methodData(c)
	case kindCompile:
		p.compilation(c)
	default:
		c.MissAt(at, "a kind of line")
	}
	p.started = true
	return c.end()
}

// versionLine reads the first line of files from JDK 18 on.
func (p *parser) versionLine(c *cursor) error {
	if p.started {
		c.MissAt(0, "the version in front of everything else")
	}
	c.Spaces()
	found := *c
	p.version = int(c.number(0, math.MaxInt32, "a version"))
	if !c.OK() || p.version <= maxVersion {
		return nil
	}
	e := c.place.FailAt(&found.Cursor, ErrVersion)
	e.Found = parse.Shorten(found.Rest())
	return e
}

func (p *parser) klass(c *cursor, kind string) {
	k := klass{kind: kind, name: c.klass()}
	if kind == kindKlass {
		k.linked, k.initialized = c.flag(), c.flag()
		n := c.number(1, math.MaxUint16, "the length of a constant pool")
		for range n - 1 {
			if !c.OK() {
				return
			}
			k.tags = append(k.tags, byte(c.number(0, math.MaxUint8, "a tag of the constant pool")))
		}
	} else if c.Spaces(); len(c.Rest()) > 0 {
		c.keyword(commentMark)
		k.comment = c.name("the name of a hidden class")
	}
	p.klasses = append(p.klasses, k)
}

// field reads the value of a static field, which is empty for null. The VM ends the line of a string
// with no line feed, and does not quote quotation marks in it: the string goes
// up to the last one of the line, and behind it there may be another record.
func (p *parser) field(c *cursor) error {
	k := klass{kind: kindField, name: c.klass(), field: c.name("a field"), signature: c.name("a signature")}
	c.Spaces()
	if !c.OK() {
		return c.err()
	}
	value := c.Rest()
	if bytes.HasPrefix(value, []byte(`"`)) {
		value = value[:bytes.LastIndexByte(value, '"')+1]
		if len(value) == 1 {
			c.Miss("the value of a field")
			return c.err()
		}
	}
	c.Take(len(value))
	k.value = strings.TrimRight(string(value), " ")
	p.klasses = append(p.klasses, k)
	p.started = true
	if len(c.Rest()) == 0 {
		return nil
	}
	return p.record(c)
}

func (c *cursor) int32(of string) int64 { return c.number(math.MinInt32, math.MaxUint32, of) }

func (p *parser) method(c *cursor) {
	m := method{methodKey: c.method()}
	m.invocations, m.backedges = c.int32("an invocation counter"), c.int32("a backedge counter")
	m.interpreted, m.throwouts = c.int32("the number of interpreted invocations"), c.int32("the number of exceptions")
	m.instructions = c.int32("the size of the instructions")
	p.methods = append(p.methods, m)
}
