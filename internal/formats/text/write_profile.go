package text

import (
	"cmp"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (w *writer) allMethods() {
	for m, err := range w.s.Methods() {
		if w.failed(err) {
			return
		}
		w.end()
		w.methodLine(m)
		w.contexts(m)
		for p, err := range m.Profiles() {
			if w.failed(err) {
				return
			}
			w.profile(p)
		}
		if w.err != nil {
			return
		}
	}
}

func (w *writer) methodLine(m reader.Method) {
	w.report.Methods++
	w.literal("method ")
	w.methodRef(m)
	if access := m.Access(); access != 0 {
		w.literal(" access=")
		w.bits(accessFlags, uint64(access))
	}
	if m.Flags()&layout.MethodNotMatchable != 0 {
		w.literal(" not-matchable")
	}
	if m.Unexecuted() {
		w.literal(" never-ran")
	}
	w.end()
}

// contexts writes the contexts of a method without a profile and without inner contexts. The import derives the other
// contexts from these lines and from the profiles.
func (w *writer) contexts(m reader.Method) {
	w.nodes = w.nodes[:0]
	for c, err := range m.Contexts() {
		if w.failed(err) {
			return
		}
		w.nodes = append(w.nodes, c)
	}
	w.implied = append(w.implied[:0], make([]bool, len(w.nodes))...)
	for _, c := range w.nodes {
		if inner := c.Inner(); inner != 0 {
			w.implied[(inner-w.nodes[0].Ref())/(disk.ContextSize/disk.Unit)] = true
		}
	}
	for i, c := range w.nodes {
		if !w.implied[i] && (*mapped.Mapping)(w.s.Mapping()).ContextRecord(c.Ref()).Profiles == 0 {
			w.literal("  context")
			w.frames(c)
			w.end()
		}
	}
}

// frames writes the frames of a context, the direct caller first.
func (w *writer) frames(c reader.Context) {
	frames, err := c.Frames()
	if w.failed(err) {
		return
	}
	for _, f := range frames {
		w.literal(" <- ")
		w.methodRef(f.Caller)
		w.literal(" @")
		w.signed(int64(f.Point))
	}
}

func (w *writer) profile(p reader.Profile) {
	w.report.Profiles++
	w.literal("  profile")
	w.version(p)
	w.end()
	w.fields(p)
	for section := disk.SectionData; section < disk.SectionDirectory; section++ {
		w.section(p, section)
	}
}

// version writes the code id and the context of a profile.
func (w *writer) version(p reader.Profile) {
	if code := p.Code(); code != 0 {
		w.literal(" code=")
		w.digits(code)
	}
	if c, ok, err := p.Context(); !w.failed(err) && ok {
		w.frames(c)
	}
}

// A typeText is TYPE of the grammar.
type typeText struct {
	text []byte
	name int // length of the part without the loader
}

// typeText returns the cached text of a type.
func (w *writer) typeText(t reader.Type) typeText {
	known := &w.types[t.Ordinal()]
	if known.text != nil {
		return *known
	}
	name, nameErr := t.Name()
	loader, loaderErr := t.Loader()
	if w.failed(cmp.Or(nameErr, loaderErr)) {
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

// typeAt writes the type at a pointer without tags, or - for 0.
func (w *writer) typeAt(pointer uint64) {
	if pointer == 0 {
		w.literal("-")
		return
	}
	t, err := w.s.TypeAt(w.narrow(pointer))
	if !w.failed(err) {
		w.typeRef(t)
	}
}

// narrow converts a pointer to a file reference. The reader has verified the pointer.
func (w *writer) narrow(pointer uint64) layout.Ref { return disk.RefOf(int64(pointer - w.h.Base)) }

func (w *writer) methodAt(n layout.Ref) {
	m, err := w.s.MethodAt(n)
	if !w.failed(err) {
		w.methodRef(m)
	}
}

// methodOf writes the method at a pointer, or - for 0.
func (w *writer) methodOf(pointer uint64) {
	if pointer == 0 {
		w.literal("-")
		return
	}
	w.methodAt(w.narrow(pointer))
}

// methodRef writes METHOD of the grammar.
func (w *writer) methodRef(m reader.Method) {
	name, nameErr := m.Name()
	signature, signatureErr := m.Signature()
	class, ok, classErr := m.Class()
	if w.failed(cmp.Or(nameErr, signatureErr, classErr)) {
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
	w.literal("::")
	w.name = name.AppendTo(w.name[:0])
	w.b = appendWithout(w.b, w.name, '(')
	w.signature(signature)
	w.b = append(w.b, holder.text[holder.name:]...)
}

// signature writes a signature after a name. "::" precedes it unless it begins with a parenthesis.
func (w *writer) signature(signature reader.Name) {
	w.name = signature.AppendTo(w.name[:0])
	if len(w.name) == 0 {
		return
	}
	if w.name[0] != '(' || !bare(w.name) {
		w.literal("::")
	}
	w.b = appendName(w.b, w.name)
}

// functionID writes the name of the function with an id, or the id.
func (w *writer) functionID(id uint64) {
	m, err := w.s.FindID(id)
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
