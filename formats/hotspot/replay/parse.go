package replay

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/profarc/profarc/formats/hotspot"
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

// parse reads a file. The error is a *hotspot.TextError where the file is not
// what a VM writes.
func parse(r io.Reader, name string) (*recording, error) {
	p := parser{}
	lines := newLineReader(r, name)
	for {
		l, whole, err := lines.read()
		switch {
		case errors.Is(err, io.EOF):
			return p.finish(&l)
		case err != nil:
			return nil, err
		case !whole && !(p.finished && closing(l.text)):
			return nil, p.unfinished(&l)
		}
		if err := p.line(&l); err != nil {
			return nil, err
		}
	}
}

// A parser puts a recording together.
type parser struct {
	recording
	started, finished bool // a line was seen; the last line was
}

// closing reports whether a line may stand behind the last.
func closing(text []byte) bool {
	return len(bytes.TrimSpace(text)) == 0 || bytes.HasPrefix(text, []byte(strings.TrimSpace(prompt)))
}

// unfinished is the error of a line without an end.
func (p *parser) unfinished(l *line) error {
	if !p.started && !Detect(l.text) {
		return &hotspot.TextError{Name: l.name, Line: l.number, Offset: l.offset, Kind: ErrNoReplay, Found: shorten(l.text)}
	}
	return l.cut()
}

func (p *parser) finish(l *line) (*recording, error) {
	switch {
	case !p.started:
		return nil, &hotspot.TextError{Name: l.name, Kind: ErrNoReplay}
	case !p.finished:
		return nil, l.cut()
	}
	return &p.recording, nil
}

// line reads one line.
func (p *parser) line(l *line) error {
	if p.finished {
		if !closing(l.text) {
			return l.syntax(0, "the end of the file")
		}
		return nil
	}
	c := &cursor{line: l}
	if bytes.HasPrefix(l.text, []byte(prompt)) {
		c.at = len(prompt)
	}
	c.blanks()
	if c.at == len(l.text) || l.text[c.at] == commentMark[0] {
		return nil
	}
	return p.record(c)
}

// record reads one line behind the blanks at its front.
func (p *parser) record(c *cursor) error {
	text, at := c.word("a kind of line")
	kind := string(text)
	if !p.started && !Detect(c.line.text) {
		return &hotspot.TextError{Name: c.line.name, Line: c.line.number, Offset: c.line.offset, Kind: ErrNoReplay, Found: shorten(c.line.text)}
	}
	switch kind {
	case kindVersion:
		p.versionLine(c)
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
		c.miss(at, "a kind of line")
	}
	p.started = true
	return c.end()
}

// versionLine reads the first line of files from JDK 18 on.
func (p *parser) versionLine(c *cursor) {
	if p.started {
		c.miss(0, "the version in front of everything else")
	}
	c.blanks()
	at := c.at
	p.version = int(c.number(0, math.MaxInt32, "a version"))
	if c.err == nil && p.version > maxVersion {
		c.err = &hotspot.TextError{Name: c.line.name, Line: c.line.number, Offset: c.line.offset + int64(at), Kind: ErrVersion, Found: shorten(c.line.text[at:])}
	}
}

func (c *cursor) flag() bool { return c.number(0, 1, "0 or 1") == 1 }

func (p *parser) klass(c *cursor, kind string) {
	k := klass{kind: kind, name: c.klass()}
	if kind == kindKlass {
		k.linked, k.initialized = c.flag(), c.flag()
		n := c.number(1, math.MaxUint16, "the length of a constant pool")
		for range n - 1 {
			if c.err != nil {
				return
			}
			k.tags = append(k.tags, byte(c.number(0, math.MaxUint8, "a tag of the constant pool")))
		}
	} else if c.blanks(); c.at < len(c.line.text) {
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
	c.blanks()
	if c.err != nil {
		return c.err
	}
	end := len(c.line.text)
	if c.at < end && c.line.text[c.at] == '"' {
		end = bytes.LastIndexByte(c.line.text, '"') + 1
		if end == c.at+1 {
			c.miss(c.at, "the value of a field")
			return c.err
		}
	}
	k.value = strings.TrimRight(string(c.line.text[c.at:end]), " ")
	p.klasses = append(p.klasses, k)
	p.started = true
	if c.at = end; end == len(c.line.text) {
		return nil
	}
	return p.record(c)
}

func (c *cursor) method() methodKey {
	return methodKey{c.klass(), c.name("the name of a method"), c.name("a signature")}
}

func (c *cursor) int32(of string) int64 { return c.number(math.MinInt32, math.MaxUint32, of) }

func (p *parser) method(c *cursor) {
	m := method{methodKey: c.method()}
	m.invocations, m.backedges = c.int32("an invocation counter"), c.int32("a backedge counter")
	m.interpreted, m.throwouts = c.int32("the number of interpreted invocations"), c.int32("the number of exceptions")
	m.instructions = c.int32("the size of the instructions")
	p.methods = append(p.methods, m)
}
