package text

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A typeText is the text of a type: its name, and the loader in braces behind.
type typeText struct {
	text []byte
	name int // length of the name's part
}

// typeText gives the text of a type. It is made once.
func (w *writer) typeText(t reader.Type) typeText {
	known := &w.types[t.Ordinal()]
	if known.text != nil {
		return *known
	}
	name, err := t.Name()
	if w.failed(err) {
		return typeText{}
	}
	loader, err := t.Loader()
	if w.failed(err) {
		return typeText{}
	}
	w.name = name.AppendTo(w.name[:0])
	known.text = appendName(nil, w.name)
	known.name = len(known.text)
	if loader.Len() > 0 {
		w.name = loader.AppendTo(w.name[:0])
		known.text = append(appendName(append(known.text, '{'), w.name), '}')
	}
	return *known
}

func (w *writer) typeRef(t reader.Type) { w.b = append(w.b, w.typeText(t).text...) }

// typeAt writes the type that a pointer without tags leads to, or - for none.
func (w *writer) typeAt(pointer uint64) {
	if pointer == 0 {
		w.text("-")
		return
	}
	t, err := w.s.TypeAt(w.narrow(pointer))
	if !w.failed(err) {
		w.typeRef(t)
	}
}

// narrow is where a pointer leads to. The reader has checked it.
func (w *writer) narrow(pointer uint64) layout.Ref {
	return disk.RefOf(int64(pointer - w.h.Base))
}

// methodAt writes the method at a place.
func (w *writer) methodAt(n layout.Ref) {
	m, err := w.s.MethodAt(n)
	if !w.failed(err) {
		w.methodRef(m)
	}
}

// methodOf writes the method that a pointer leads to, or - for none.
func (w *writer) methodOf(pointer uint64) {
	if pointer == 0 {
		w.text("-")
		return
	}
	w.methodAt(w.narrow(pointer))
}

// methodRef writes a method: its name alone, or class::name, its signature and
// the loader of the class.
func (w *writer) methodRef(m reader.Method) {
	name, err := m.Name()
	if w.failed(err) {
		return
	}
	signature, err := m.Signature()
	if w.failed(err) {
		return
	}
	class, ok, err := m.Class()
	if w.failed(err) {
		return
	}
	if !ok && signature.Len() == 0 {
		w.spell(name)
		return
	}
	var holder typeText
	if ok {
		holder = w.typeText(class)
	}
	w.b = append(w.b, holder.text[:holder.name]...)
	w.text("::")
	w.name = name.AppendTo(w.name[:0])
	w.b = appendWithout(w.b, w.name, '(')
	w.signature(signature)
	w.b = append(w.b, holder.text[holder.name:]...)
}

// signature writes a signature behind a name: at once if it begins with a
// parenthesis.
func (w *writer) signature(signature reader.Name) {
	w.name = signature.AppendTo(w.name[:0])
	if len(w.name) == 0 {
		return
	}
	if w.name[0] != '(' || !bare(w.name) {
		w.text("::")
	}
	w.b = appendName(w.b, w.name)
}

// functionID writes an id, or the name of the function that has it.
func (w *writer) functionID(id uint64) {
	m, err := w.s.Lookup(id)
	if err != nil || !w.h.Domain.LLVM() {
		w.hex(id)
		return
	}
	name, err := m.Name()
	if w.failed(err) {
		return
	}
	w.name = name.AppendTo(w.name[:0])
	if len(w.name) > 0 && w.name[0]-'0' <= 9 {
		w.b = appendQuoted(w.b, w.name)
	} else {
		w.b = appendName(w.b, w.name)
	}
}
