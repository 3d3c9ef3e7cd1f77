package replay

import (
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/jvm/names"
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

// prompt precedes what jhsdb's dumpreplaydata prints.
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

// mayFollow reports whether a line may follow the last one of a recording.
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
// up to the last one of the line, and after it there may be another record.
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

// methodData reads a ciMethodData line.
func (p *parser) methodData(c *cursor) {
	d := methodData{methodKey: c.method(), place: c.place}
	d.state = c.number(0, 2, "the state of a MethodData, 0 to 2")
	d.invocations = c.int32("a number of invocations")
	c.keyword("orig")
	for range c.length("bytes of the header") {
		if !c.OK() {
			return
		}
		d.header = append(d.header, byte(c.number(0, math.MaxUint8, "a byte")))
	}
	c.keyword("data")
	for range c.length("words of data") {
		if !c.OK() {
			return
		}
		d.words = append(d.words, c.cell())
	}
	d.references(c)
	p.data = append(p.data, d)
}

// references reads which words point where.
func (d *methodData) references(c *cursor) {
	d.klasses, d.methods = map[int]string{}, map[int]methodKey{}
	c.keyword("oops")
	for range c.length("classes") {
		if at := d.index(c); c.OK() {
			d.klasses[at] = c.klass()
		}
	}
	c.keyword("methods")
	for range c.length("methods") {
		if at := d.index(c); c.OK() {
			d.methods[at] = c.method()
		}
	}
}

// index reads the index of a word that no other reference has.
func (d *methodData) index(c *cursor) int {
	const expected = "the index of a word of data, each once"
	c.Spaces()
	at := c.At
	n := int(c.number(0, int64(len(d.words))-1, expected))
	_, klass := d.klasses[n]
	_, method := d.methods[n]
	if klass || method {
		c.MissAt(at, expected)
	}
	return n
}

// compilation reads the compile line, the last of a file.
func (p *parser) compilation(c *cursor) {
	k := &p.compile
	k.methodKey = c.method()
	k.bci = c.number(-1, math.MaxUint16, "a bci, or -1")
	k.level = c.number(0, 4, "a level of compilation, 0 to 4")
	p.finished = true
	if c.Spaces(); len(c.Rest()) == 0 {
		return
	}
	c.keyword("inline")
	k.inlined = true
	for range c.length("inlined methods") {
		if !c.OK() {
			return
		}
		i := inlining{depth: c.number(0, math.MaxInt32, "a depth"), bci: c.number(-1, math.MaxUint16, "a bci, or -1")}
		if p.version >= 2 {
			i.late = c.flag()
		}
		i.methodKey = c.method()
		k.inlines = append(k.inlines, i)
	}
}

// A cursor takes the words of a line one after another, as the VM's own reader
// does. After the first word that does not fit, every method returns zero.
type cursor struct {
	parse.Cursor
	place parse.Place
}

// err returns the error of the word that does not fit, nil if all do.
func (c *cursor) err() error { return c.place.Missing(&c.Cursor, ErrSyntax) }

// end returns the error of a line that has not been read to its end, or err.
func (c *cursor) end() error {
	c.End()
	return c.err()
}

// word takes the text up to the next space, or between two quotation marks.
func (c *cursor) word(expected string) (text []byte, at int) {
	c.Spaces()
	at = c.At
	if bytes.HasPrefix(c.Rest(), []byte(`"`)) {
		return c.quoted(expected), at
	}
	n := bytes.IndexByte(c.Rest(), ' ')
	if n < 0 {
		n = len(c.Rest())
	}
	if text = c.Take(n); n == 0 {
		c.Miss(expected)
	}
	return text, at
}

// quoted takes the text between two quotation marks.
func (c *cursor) quoted(expected string) []byte {
	n := bytes.IndexByte(c.Rest()[1:], '"')
	if n <= 0 {
		c.Miss(expected)
		return nil
	}
	c.Take(1)
	text := c.Take(n)
	c.Take(1)
	return text
}

// name takes a name or a signature.
func (c *cursor) name(expected string) string {
	text, at := c.word(expected)
	if bytes.IndexByte(text, 0) >= 0 {
		c.MissAt(at, expected)
	}
	return names.FromModifiedUTF8(names.Unquote(text))
}

// referenceEnd ends a reference to a hidden class.
const referenceEnd = ";"

// klass takes the name of a class, or a reference to a hidden one:
//
//	@bci Main main ([Ljava/lang/String;)V 160 <appendix> member <vmtarget> ;
//
// which is kept as it is, with one space between its words.
func (c *cursor) klass() string {
	if c.Spaces(); !bytes.HasPrefix(c.Rest(), []byte("@")) {
		return c.name("a class")
	}
	var words []string
	for c.OK() {
		word := c.name(`the ";" of a reference to a hidden class`)
		words = append(words, word)
		if word == referenceEnd {
			break
		}
	}
	return strings.Join(words, " ")
}

// method takes the class, name and signature of a method.
func (c *cursor) method() methodKey {
	return methodKey{c.klass(), c.name("the name of a method"), c.name("a signature")}
}

// number takes a decimal number between min and max.
func (c *cursor) number(min, max int64, expected string) int64 {
	text, at := c.word(expected)
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < min || n > max {
		c.MissAt(at, expected)
		return 0
	}
	return n
}

// length takes the number of things that follow.
func (c *cursor) length(of string) int {
	return int(c.number(0, int64(len(c.Line)), "the number of "+of))
}

// flag takes 0 or 1.
func (c *cursor) flag() bool { return c.number(0, 1, "0 or 1") == 1 }

// cell takes a word of a MethodData: 0x and hexadecimal digits.
func (c *cursor) cell() uint64 {
	text, at := c.word("a word of data in hexadecimal")
	digits, ok := strings.CutPrefix(string(text), "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || !ok {
		c.MissAt(at, "a word of data in hexadecimal")
		return 0
	}
	return n
}

// keyword takes one word of the format.
func (c *cursor) keyword(want string) {
	if text, at := c.word(strconv.Quote(want)); string(text) != want {
		c.MissAt(at, strconv.Quote(want))
	}
}
