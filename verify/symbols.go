package verify

import (
	"bytes"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// symbols walks the symbols of a span. They must be sorted and padded with zeros, and lists must consist of texts. It
// verifies pages as it reaches them.
func (w *worker) symbols(span layout.Span, pages *summer) {
	section := w.h.Parts[disk.PartSymbols]
	symbols := marker{places: &w.starts.symbols}
	names := marker{places: &w.starts.names}
	var last []byte
	at := span.Offset
	for at < span.End() && w.goesOn() {
		pages.upTo(at + 1)
		text, size, list, err := w.symbol(section, at)
		if list {
			symbols.markRecord(at)
			w.found.lists = append(w.found.lists, at)
		}
		if err != nil {
			if w.naming {
				w.starts.symbols.partial, w.starts.names.partial = true, true
			}
			w.refused(inSymbols, at, err)
			break
		}
		if at > span.Offset && bytes.Compare(last, text) >= 0 {
			w.wrong(inSymbols, at, disk.RegionRO, at, "a symbol that does not sort behind the one before")
		}
		symbols.markRecord(at)
		if !list && len(text) <= disk.MaxName && bytes.IndexByte(text, 0) < 0 {
			names.markRecord(at)
		}
		last = text
		w.found.symbols++
		at += size
	}
	symbols.flush()
	names.flush()
	if at != span.End() {
		w.doubt()
	} else if at < section.End() {
		if next, _, _, err := w.symbol(section, at); err != nil || bytes.Compare(last, next) >= 0 {
			w.doubt()
		}
	}
}

// symbol returns the text of the symbol at an offset, and its size with its padding, which must be zeros. The symbol
// must end within its section. list is true for each list within the section, even if its text cannot be read.
func (w *worker) symbol(section layout.Span, at int64) (text []byte, size int64, list bool, err error) {
	head := w.data[at:]
	parts, list := disk.SymbolParts(head)
	used := 4 + parts
	if list {
		used = 4 + 4*parts
	}
	size = disk.AlignUp(used, disk.Unit)
	if size > section.End()-at {
		return nil, 0, false, disk.Corrupt(disk.RegionRO, at, "a symbol of %d bytes runs over the end of its section", used)
	}
	if list && (parts == 0 || parts > disk.MaxName) {
		return nil, 0, false, disk.Corrupt(disk.RegionRO, at, "a list of %d symbols", parts)
	}
	text = head[4:used:used]
	if list {
		text, err = w.listText(at, head[:used])
		if err != nil {
			return nil, 0, true, err
		}
	}
	if pad := size - used; le.Uint64(head[size-disk.Unit:])>>(8*(disk.Unit-pad)) != 0 {
		w.wrong(inSymbols, at, disk.RegionRO, at, "bytes behind a symbol that are not zero")
	}
	return text, size, list, nil
}

func (w *worker) listText(at int64, list []byte) (text []byte, err error) {
	w.list, w.before = w.before, w.list // keeps the text of the previous list
	w.list, err = w.join(w.list[:0], at, list)
	if err != nil {
		return nil, err
	}
	parts, _ := disk.SymbolParts(list)
	most := disk.MaxKeyText(w.h.FileSize)
	if w.found.listText += disk.ListText(parts) + int64(len(w.list)); w.found.listText > most {
		err = disk.Corrupt(disk.RegionRO, at, "signatures made of names that have more than %d bytes of text together", most)
	}
	return w.list, err
}

// join appends the text of the list at an offset to b. It checks the references to the list's parts.
func (w *walk) join(b []byte, at int64, list []byte) (text []byte, err error) {
	section := w.h.Parts[disk.PartSymbols]
	parts, _ := disk.SymbolParts(list)
	total := int64(0)
	for i := range parts {
		var part []byte
		if n := disk.SymbolPart(list, i); n != 0 {
			if !section.Holds(n.Offset(), disk.Unit) || !section.Holds(n.Offset(), 4+disk.SymbolLength(w.data[n.Offset():])) {
				_, err := w.s.SymbolAt(n)
				return b, w.refusal(n.Offset(), err)
			}
			part = w.data[n.Offset()+4:][:disk.SymbolLength(w.data[n.Offset():])]
		}
		if total += int64(len(part)) + 1; total > disk.MaxName {
			return b, disk.Corrupt(disk.RegionRO, at, "a signature of more than %d bytes", disk.MaxName)
		}
		if i > 1 {
			b = append(b, ',')
		}
		b = append(b, part...)
		if i == 0 {
			b = append(b, '(')
		}
	}
	return append(b, ')'), nil
}

func (w *walk) lists() {
	for _, at := range w.found.lists {
		list := w.data[at:]
		parts, _ := disk.SymbolParts(list)
		for i := range parts {
			w.isName(inLists, at, "part of a signature", disk.SymbolPart(list, i))
		}
	}
}

// listAt returns the list at n. ok is false if none begins there. If the symbols could not be walked to their end, ok
// may be true for bytes that only look like a list.
func (w *walk) listAt(n layout.Ref) (list []byte, ok bool) {
	section := w.h.Parts[disk.PartSymbols]
	if !w.starts.symbols.mayHave(n) || !section.Holds(n.Offset(), disk.Unit) {
		return nil, false
	}
	list = w.data[n.Offset():]
	parts, ok := disk.SymbolParts(list)
	return list, ok && section.Holds(n.Offset(), 4+4*parts)
}

func (w *walk) isText(n layout.Ref) bool {
	_, list := w.listAt(n)
	return w.starts.symbols.has(n) && !list
}

// isName checks that a text that can be part of a key begins at n. what describes it in errors.
func (w *walk) isName(in phase, at int64, what string, n layout.Ref) {
	switch {
	case w.starts.names.mayHave(n):
	case w.isText(n):
		w.wrong(in, at, disk.RegionRO, at, "the %s at 0x%x holds a NUL byte, or has more than %d bytes", what, n.Offset(),
			disk.MaxName)
	default:
		w.wrong(in, at, disk.RegionRO, at, "the %s is at 0x%x, where no text begins", what, n.Offset())
	}
}

// name returns the text at n, which the record at offset at refers to. The text must be one that can be part of a key.
// ok is false if no text can be read there.
func (w *walk) name(in phase, at int64, what string, n layout.Ref) (text string, ok bool) {
	text, ok = w.nameAt(n)
	if ok {
		return text, true
	}
	if n == 0 || disk.RegionOf(w.h, disk.RegionRO).Holds(n.Offset(), disk.Unit) { // the reader refuses others
		w.isName(in, at, what, n)
	}
	return w.textOf(in, at, n)
}

// optionalName is like name, and returns "" if n is 0.
func (w *walk) optionalName(in phase, at int64, what string, n layout.Ref) (text string, ok bool) {
	if n == 0 {
		return "", true
	}
	return w.name(in, at, what, n)
}

// textOf is like optionalName for a reference that another step checks.
func (w *walk) textOf(in phase, at int64, n layout.Ref) (text string, ok bool) {
	text, ok = w.nameAt(n)
	if ok || n == 0 {
		return text, true
	}
	name, err := w.s.SymbolAt(n)
	if err != nil {
		w.noteError(in, at, err)
	}
	return name.String(), err == nil
}

// nameAt returns the text at n. ok is false if it cannot be part of a key.
func (w *walk) nameAt(n layout.Ref) (text string, ok bool) {
	if !w.starts.names.has(n) {
		return "", false
	}
	size := disk.SymbolLength(w.data[n.Offset():])
	if !w.h.Parts[disk.PartSymbols].Holds(n.Offset(), 4+size) {
		return "", false // the file was changed during the check
	}
	return words.StringOf(w.data[n.Offset()+4:][:size]), true
}
