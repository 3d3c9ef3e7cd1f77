package replay

import (
	"github.com/profarc/profarc/internal/jvm/classfile"
	"github.com/profarc/profarc/internal/parse"
)

// A recording is what one replay file says.
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

// A klass is an instanceKlass line, which only has the class loaded, a
// ciInstanceKlass line, or a staticfield line.
type klass struct {
	kind string // kindLoaded, kindKlass or kindField
	name string

	comment string // kindLoaded: the VM's name of a hidden class

	linked, initialized bool
	tags                []byte // kindKlass: of the constant pool, from entry 1 on

	field, signature, value string // kindField; the value is as the VM wrote it
}

// A methodKey names a method of one recording.
type methodKey struct{ class, name, signature string }

// keyOf is the key of the method that a reference in a class file names.
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
	klasses     map[int]string    // by index of the word that points there
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
