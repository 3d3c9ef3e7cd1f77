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

// maxVersion is the last known version of replay files.
const maxVersion = 2

// prompt precedes what jhsdb's dumpreplaydata prints.
const prompt = "hsdb> "

// Detect reports whether head is the beginning of a replay file.
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

// parseFile reads a file. The error is a [*hotspot.TextError] if the file is not what a
// VM writes.
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
		if err := p.readLine(line); err != nil {
			return nil, err
		}
	}
}

// A parser parses a file into a recording.
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
		p.lines.Line++ // the missing line
		return nil, p.lines.Fail(ErrCut)
	}
	return &p.recording, nil
}

// readLine reads one line.
func (p *parser) readLine(line []byte) error {
	c := &cursor{parse.Cursor{Line: line}, p.lines.Place}
	if p.finished {
		if !mayFollow(line) {
			c.Miss("the end of the file")
		}
		return c.failure()
	}
	c.Skip(prompt)
	c.Spaces()
	if rest := c.Rest(); len(rest) == 0 || rest[0] == commentMark[0] {
		return nil
	}
	return p.recordLine(c)
}

// recordLine reads one line after the spaces at its start.
func (p *parser) recordLine(c *cursor) error {
	text, at := c.takeWord("a kind of line")
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
		p.capabilities = append(p.capabilities, capability{c.takeName("a capability"), c.takeFlag()})
	case kindLoaded, kindKlass:
		p.classLine(c, kind)
	case kindField:
		return p.fieldLine(c)
	case kindMethod:
		p.methodLine(c)
	case kindData:
		p.dataLine(c)
	case kindCompile:
		p.compileLine(c)
	default:
		c.MissAt(at, "a kind of line")
	}
	p.started = true
	return c.finish()
}

// versionLine reads the first line of files from JDK 18 on.
func (p *parser) versionLine(c *cursor) error {
	if p.started {
		c.MissAt(0, "the version before everything else")
	}
	c.Spaces()
	found := *c
	p.version = int(c.takeNumber(0, math.MaxInt32, "a version"))
	if !c.OK() || p.version <= maxVersion {
		return nil
	}
	e := c.place.FailAt(&found.Cursor, ErrVersion)
	e.Found = parse.Shorten(found.Rest())
	return e
}

func (p *parser) classLine(c *cursor, kind string) {
	k := klass{kind: kind, name: c.takeClass()}
	if kind == kindKlass {
		k.linked, k.initialized = c.takeFlag(), c.takeFlag()
		n := c.takeNumber(1, math.MaxUint16, "the length of a constant pool")
		for range n - 1 {
			if !c.OK() {
				return
			}
			k.tags = append(k.tags, byte(c.takeNumber(0, math.MaxUint8, "a tag of the constant pool")))
		}
	} else if c.Spaces(); len(c.Rest()) > 0 {
		c.expectKeyword(commentMark)
		k.comment = c.takeName("the name of a hidden class")
	}
	p.klasses = append(p.klasses, k)
}

// fieldLine reads a static field. Its value is empty for null. The VM writes no line feed
// after a string and does not escape quotation marks in it. So the string ends with the
// last quotation mark of the line, and another record may follow it.
func (p *parser) fieldLine(c *cursor) error {
	k := klass{kind: kindField, name: c.takeClass(), field: c.takeName("a field"), signature: c.takeName("a signature")}
	c.Spaces()
	if !c.OK() {
		return c.failure()
	}
	value := c.Rest()
	if bytes.HasPrefix(value, []byte(`"`)) {
		value = value[:bytes.LastIndexByte(value, '"')+1]
		if len(value) == 1 {
			c.Miss("the value of a field")
			return c.failure()
		}
	}
	c.Take(len(value))
	k.value = strings.TrimRight(string(value), " ")
	p.klasses = append(p.klasses, k)
	p.started = true
	if len(c.Rest()) == 0 {
		return nil
	}
	return p.recordLine(c)
}

func (c *cursor) int32(of string) int64 { return c.takeNumber(math.MinInt32, math.MaxUint32, of) }

func (p *parser) methodLine(c *cursor) {
	m := method{methodKey: c.takeMethod()}
	m.invocations, m.backedges = c.int32("an invocation counter"), c.int32("a backedge counter")
	m.interpreted, m.throwouts = c.int32("the number of interpreted invocations"), c.int32("the number of exceptions")
	m.instructions = c.int32("the size of the instructions")
	p.methods = append(p.methods, m)
}

// dataLine reads a ciMethodData line.
func (p *parser) dataLine(c *cursor) {
	d := methodData{methodKey: c.takeMethod(), place: c.place}
	d.state = c.takeNumber(0, 2, "the state of a MethodData, 0 to 2")
	d.invocations = c.int32("a number of invocations")
	c.expectKeyword("orig")
	for range c.takeLength("bytes of the header") {
		if !c.OK() {
			return
		}
		d.header = append(d.header, byte(c.takeNumber(0, math.MaxUint8, "a byte")))
	}
	c.expectKeyword("data")
	for range c.takeLength("words of data") {
		if !c.OK() {
			return
		}
		d.words = append(d.words, c.takeCell())
	}
	d.references(c)
	p.data = append(p.data, d)
}

// references reads the names of the words that are pointers.
func (d *methodData) references(c *cursor) {
	d.klasses, d.methods = map[int]string{}, map[int]methodKey{}
	c.expectKeyword("oops")
	for range c.takeLength("classes") {
		if at := d.index(c); c.OK() {
			d.klasses[at] = c.takeClass()
		}
	}
	c.expectKeyword("methods")
	for range c.takeLength("methods") {
		if at := d.index(c); c.OK() {
			d.methods[at] = c.takeMethod()
		}
	}
}

// index reads the index of a word, which must differ from those before.
func (d *methodData) index(c *cursor) int {
	const expected = "the index of a word of data, each once"
	c.Spaces()
	at := c.At
	n := int(c.takeNumber(0, int64(len(d.words))-1, expected))
	_, klass := d.klasses[n]
	_, method := d.methods[n]
	if klass || method {
		c.MissAt(at, expected)
	}
	return n
}

// compileLine reads the compile line, the last of a file.
func (p *parser) compileLine(c *cursor) {
	k := &p.compile
	k.methodKey = c.takeMethod()
	k.bci = c.takeNumber(-1, math.MaxUint16, "a bci, or -1")
	k.level = c.takeNumber(0, 4, "a level of compilation, 0 to 4")
	p.finished = true
	if c.Spaces(); len(c.Rest()) == 0 {
		return
	}
	c.expectKeyword("inline")
	k.inlined = true
	for range c.takeLength("inlined methods") {
		if !c.OK() {
			return
		}
		i := inlining{depth: c.takeNumber(0, math.MaxInt32, "a depth"), bci: c.takeNumber(-1, math.MaxUint16, "a bci, or -1")}
		if p.version >= 2 {
			i.late = c.takeFlag()
		}
		i.methodKey = c.takeMethod()
		k.inlines = append(k.inlines, i)
	}
}

// A cursor takes the words of a line in order, as the VM's own reader does. After the
// first wrong word every method returns zero.
type cursor struct {
	parse.Cursor
	place parse.Place
}

// failure returns the error of the first wrong word, nil if there is none.
func (c *cursor) failure() error { return c.place.Missing(&c.Cursor, ErrSyntax) }

// finish returns the error of a line with a wrong word or an unread rest.
func (c *cursor) finish() error {
	c.End()
	return c.failure()
}

// takeWord takes the text up to the next space, or between two quotation marks.
func (c *cursor) takeWord(expected string) (text []byte, at int) {
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

// takeName takes a name or a signature.
func (c *cursor) takeName(expected string) string {
	text, at := c.takeWord(expected)
	if bytes.IndexByte(text, 0) >= 0 {
		c.MissAt(at, expected)
	}
	return names.FromModifiedUTF8(names.Unquote(text))
}

// referenceEnd ends a reference to a hidden class.
const referenceEnd = ";"

// takeClass takes the name of a class, or a reference to a hidden one:
//
//	@bci Main main ([Ljava/lang/String;)V 160 <appendix> member <vmtarget> ;
//
// References are kept with one space between their words.
func (c *cursor) takeClass() string {
	if c.Spaces(); !bytes.HasPrefix(c.Rest(), []byte("@")) {
		return c.takeName("a class")
	}
	var words []string
	for c.OK() {
		word := c.takeName(`the ";" of a reference to a hidden class`)
		words = append(words, word)
		if word == referenceEnd {
			break
		}
	}
	return strings.Join(words, " ")
}

// takeMethod takes the class, name and signature of a method.
func (c *cursor) takeMethod() methodKey {
	return methodKey{c.takeClass(), c.takeName("the name of a method"), c.takeName("a signature")}
}

// takeNumber takes a decimal number between min and max.
func (c *cursor) takeNumber(min, max int64, expected string) int64 {
	text, at := c.takeWord(expected)
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < min || n > max {
		c.MissAt(at, expected)
		return 0
	}
	return n
}

// takeLength takes the number of items that follow.
func (c *cursor) takeLength(of string) int {
	return int(c.takeNumber(0, int64(len(c.Line)), "the number of "+of))
}

// takeFlag takes 0 or 1.
func (c *cursor) takeFlag() bool { return c.takeNumber(0, 1, "0 or 1") == 1 }

// takeCell takes a word of a MethodData: 0x and hexadecimal digits.
func (c *cursor) takeCell() uint64 {
	text, at := c.takeWord("a word of data in hexadecimal")
	digits, ok := strings.CutPrefix(string(text), "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || !ok {
		c.MissAt(at, "a word of data in hexadecimal")
		return 0
	}
	return n
}

// expectKeyword takes one word of the format.
func (c *cursor) expectKeyword(want string) {
	if text, at := c.takeWord(strconv.Quote(want)); string(text) != want {
		c.MissAt(at, strconv.Quote(want))
	}
}
