package replay

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/jvm/classfile"
	"github.com/profarc/profarc/internal/jvm/names"
	"github.com/profarc/profarc/internal/parse"
)

// A recording is the content of one replay file.
type recording struct {
	version      int
	capabilities []capability
	klasses      []klass // in the order of the file
	methods      []method
	data         []methodData
	compile      compilation
}

// A capability of JVMTI is a JvmtiExport line.
type capability struct {
	name string
	on   bool
}

// A klass is an instanceKlass line, which only loads the class, a ciInstanceKlass line,
// or a staticfield line.
type klass struct {
	kind string // kindLoaded, kindKlass or kindField
	name string

	comment string // kindLoaded: the VM's name of a hidden class

	linked, initialized bool
	tags                []byte // kindKlass: of the constant pool, from entry 1 on

	field, signature, value string // kindField; the value as the VM wrote it
}

// A methodKey is the name of a method in a recording.
type methodKey struct{ class, name, signature string }

// keyOf returns the key of a method reference in a class file.
func keyOf(m classfile.Member) methodKey { return methodKey{m.Class, m.Name, m.Signature} }

// A method is a ciMethod line.
type method struct {
	methodKey
	invocations, backedges int64 // raw counters: twice the count, and a carry bit
	interpreted, throwouts int64
	instructions           int64 // size of the compiled code, -1 if not known
}

// A methodData is a ciMethodData line.
type methodData struct {
	methodKey
	place       parse.Place
	state       int64
	invocations int64
	header      []byte // "orig": bytes of the VM's MethodData
	words       []uint64
	klasses     map[int]string    // by index of the pointer
	methods     map[int]methodKey // likewise
}

// A compilation is a compile line.
type compilation struct {
	methodKey
	bci, level int64
	inlined    bool // the line has a list
	inlines    []inlining
}

// An inlining is a method that was inlined.
type inlining struct {
	depth, bci int64
	late       bool
	methodKey
}

// A printer prints a recording as the VM would.
type printer struct{ *bufio.Writer }

// printFile prints a recording. It returns the first error of the writer.
func (r *recording) printFile(out io.Writer) error {
	p := printer{bufio.NewWriterSize(out, 1<<16)}
	if r.version > 0 {
		p.line(kindVersion, strconv.Itoa(r.version))
	}
	for _, a := range r.capabilities {
		p.line(kindAgent, quote(a.name), flag(a.on))
	}
	for _, k := range r.klasses {
		p.klass(&k)
	}
	for _, m := range r.methods {
		p.line(kindMethod, m.text(), fmt.Sprint(m.invocations, m.backedges, m.interpreted, m.throwouts, m.instructions))
	}
	for i := range r.data {
		p.methodData(&r.data[i])
	}
	p.compilation(&r.compile, r.version)
	return p.Flush()
}

func (p printer) line(words ...string) {
	_, _ = p.WriteString(strings.Join(words, " "))
	_ = p.WriteByte('\n')
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// quote returns a name as in a replay file. A name with a space must be quoted. The VM
// recognizes quotation marks at the beginning of a word only.
func quote(name string) string {
	quoted := escape(name)
	if quoted == "" || strings.Contains(quoted, " ") || quoted[0] == '@' || quoted[0] == '"' {
		return `"` + quoted + `"`
	}
	return quoted
}

// escape returns a name as the VM reads it. Beyond ASCII it cannot read its own \uXXXX,
// but it can read modified UTF-8.
func escape(name string) string {
	var b []byte
	for _, c := range []byte(names.ToModifiedUTF8(name)) {
		if c < ' ' || c == 0x7f {
			b = names.AppendQuoted(b, string(rune(c)))
			continue
		}
		b = append(b, c)
	}
	return string(b)
}

// quoteClass quotes the name of a class. References to hidden classes are not quoted.
func quoteClass(name string) string {
	if strings.HasPrefix(name, "@") && strings.HasSuffix(name, " "+referenceEnd) {
		return escape(name)
	}
	return quote(name)
}

func (k methodKey) text() string {
	return quoteClass(k.class) + " " + quote(k.name) + " " + quote(k.signature)
}

func (p printer) klass(k *klass) {
	switch k.kind {
	case kindLoaded:
		if k.comment != "" {
			p.line(kindLoaded, quoteClass(k.name), commentMark, quote(k.comment))
			return
		}
		p.line(kindLoaded, quoteClass(k.name))
	case kindField:
		p.line(kindField, quoteClass(k.name), quote(k.field), quote(k.signature), k.value)
	case kindKlass:
		words := []string{kindKlass, quoteClass(k.name), flag(k.linked), flag(k.initialized), strconv.Itoa(len(k.tags) + 1)}
		for _, t := range k.tags {
			words = append(words, strconv.Itoa(int(t)))
		}
		p.line(words...)
	}
}

func (p printer) methodData(d *methodData) {
	words := []string{kindData, d.text(), fmt.Sprint(d.state, d.invocations), "orig", strconv.Itoa(len(d.header))}
	for _, b := range d.header {
		words = append(words, strconv.Itoa(int(b)))
	}
	words = append(words, "data", strconv.Itoa(len(d.words)))
	for _, w := range d.words {
		words = append(words, "0x"+strconv.FormatUint(w, 16))
	}
	words = append(words, "oops", strconv.Itoa(len(d.klasses)))
	for at := range d.words {
		if class, ok := d.klasses[at]; ok {
			words = append(words, strconv.Itoa(at), quoteClass(class))
		}
	}
	words = append(words, "methods", strconv.Itoa(len(d.methods)))
	for at := range d.words {
		if m, ok := d.methods[at]; ok {
			words = append(words, strconv.Itoa(at), m.text())
		}
	}
	p.line(words...)
}

func (p printer) compilation(c *compilation, version int) {
	words := []string{kindCompile, c.text(), fmt.Sprint(c.bci, c.level)}
	if c.inlined {
		words = append(words, "inline", strconv.Itoa(len(c.inlines)))
	}
	for _, i := range c.inlines {
		words = append(words, fmt.Sprint(i.depth, i.bci))
		if version >= 2 {
			words = append(words, flag(i.late))
		}
		words = append(words, i.text())
	}
	p.line(words...)
}
