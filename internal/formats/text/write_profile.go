package text

import (
	"cmp"
	"encoding/binary"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (w *writer) writeMethods() {
	for m := range poll.Values(w.s.Methods(), &w.Err) {
		w.endLine()
		w.writeMethodLine(m)
		w.writeContextLines(m)
		for p := range poll.Values(m.Profiles(), &w.Err) {
			w.writeProfile(p)
		}
	}
}

func (w *writer) writeMethodLine(m reader.Method) {
	w.report.Methods++
	w.writeLiteral("method ")
	w.writeMethodRef(m)
	if access := m.Access(); access != 0 {
		w.writeLiteral(" access=")
		w.writeBits(accessFlags, uint64(access), ",")
	}
	if m.Flags()&layout.MethodNotMatchable != 0 {
		w.writeLiteral(" not-matchable")
	}
	if m.Unexecuted() {
		w.writeLiteral(" never-ran")
	}
	w.endLine()
}

// writeContextLines writes the contexts of a method that have no profile and are the inner context of no other. The
// import derives the other contexts from these lines and from the profiles.
func (w *writer) writeContextLines(m reader.Method) {
	w.nodes = w.nodes[:0]
	for c, err := range m.Contexts() {
		if w.Fail(err) {
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
			w.writeLiteral("  context")
			w.writeFrames(c)
			w.endLine()
		}
	}
}

// writeFrames writes the frames of a context, the direct caller first.
func (w *writer) writeFrames(c reader.Context) {
	frames, err := c.Frames()
	if w.Fail(err) {
		return
	}
	for _, f := range frames {
		w.writeLiteral(" <- ")
		w.writeMethodRef(f.Caller)
		w.writeLiteral(" @")
		w.writeInt(int64(f.Point))
	}
}

func (w *writer) writeProfile(p reader.Profile) {
	w.counts.AddBlock(disk.Block(p.Bytes()))
	w.writeLiteral("  profile")
	w.writeCodeAndContext(p)
	w.endLine()
	w.writeFields(p)
	for section := disk.SectionData; section < disk.SectionDirectory; section++ {
		w.writeSection(p, section)
	}
}

func (w *writer) writeCodeAndContext(p reader.Profile) {
	if code := p.Code(); code != 0 {
		w.writeLiteral(" code=")
		w.writeHexBytes(binary.BigEndian.AppendUint64(nil, code))
	}
	if c, ok, err := p.Context(); !w.Fail(err) && ok {
		w.writeFrames(c)
	}
}

type typeText struct {
	text []byte
	name int // length of the part without the loader
}

func (w *writer) cachedTypeText(t reader.Type) typeText {
	known := &w.types[t.Ordinal()]
	if known.text != nil {
		return *known
	}
	name, nameErr := t.Name()
	loader, loaderErr := t.Loader()
	if w.Fail(cmp.Or(nameErr, loaderErr)) {
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

func (w *writer) writeTypeRef(t reader.Type) { w.b = append(w.b, w.cachedTypeText(t).text...) }

// writeTypePointer writes the type at a pointer without tags, or - for 0.
func (w *writer) writeTypePointer(pointer uint64) {
	if pointer == 0 {
		w.writeLiteral("-")
		return
	}
	t, err := w.s.TypeAt(w.refOfPointer(pointer))
	if !w.Fail(err) {
		w.writeTypeRef(t)
	}
}

// refOfPointer converts a pointer to a file reference. The reader has verified the pointer.
func (w *writer) refOfPointer(pointer uint64) layout.Ref {
	return disk.RefOf(int64(pointer - w.h.Base))
}

func (w *writer) writeMethodAt(n layout.Ref) {
	m, err := w.s.MethodAt(n)
	if !w.Fail(err) {
		w.writeMethodRef(m)
	}
}

// writeMethodPointer writes the method at a pointer, or - for 0.
func (w *writer) writeMethodPointer(pointer uint64) {
	if pointer == 0 {
		w.writeLiteral("-")
		return
	}
	w.writeMethodAt(w.refOfPointer(pointer))
}

func (w *writer) writeMethodRef(m reader.Method) {
	name, nameErr := m.Name()
	signature, signatureErr := m.Signature()
	class, ok, classErr := m.Class()
	if w.Fail(cmp.Or(nameErr, signatureErr, classErr)) {
		return
	}
	if !ok && signature.Len() == 0 {
		w.writeName(name)
		return
	}
	var holder typeText
	if ok {
		holder = w.cachedTypeText(class)
	}
	w.b = append(w.b, holder.text[:holder.name]...)
	w.writeLiteral("::")
	w.name = name.AppendTo(w.name[:0])
	w.b = appendNameQuoting(w.b, w.name, '(')
	w.writeSignature(signature)
	w.b = append(w.b, holder.text[holder.name:]...)
}

// writeSignature writes a signature after a name. "::" precedes it unless it begins with a parenthesis.
func (w *writer) writeSignature(signature reader.Name) {
	w.name = signature.AppendTo(w.name[:0])
	if len(w.name) == 0 {
		return
	}
	if w.name[0] != '(' || !isBareName(w.name) {
		w.writeLiteral("::")
	}
	w.b = appendName(w.b, w.name)
}

// writeFunctionID writes the name of the function with an id, or the id.
func (w *writer) writeFunctionID(id uint64) {
	m, err := w.s.FindID(id)
	if err != nil || !w.h.Domain.LLVM() {
		w.writeHex(id)
		return
	}
	name, err := m.Name()
	if w.Fail(err) {
		return
	}
	w.name = name.AppendTo(w.name[:0])
	if len(w.name) > 0 && w.name[0]-'0' <= 9 {
		w.b = appendQuoted(w.b, w.name)
	} else {
		w.b = appendName(w.b, w.name)
	}
}
