package verify

import (
	"bytes"
	"sync/atomic"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/format/words"
	"github.com/profarc/profarc/layout"
)

// A marker adds places to a set that other goroutines add to, a word at a time.
type marker struct {
	places *places
	word   int64
	bits   uint64
}

// add adds a place, which is in the part of the file.
func (k *marker) add(at int64) {
	unit := (at - k.places.span.Offset) / disk.Unit
	if unit>>6 != k.word {
		k.flush()
		k.word = unit >> 6
	}
	k.bits |= 1 << (unit & 63)
}

func (k *marker) flush() {
	if k.bits != 0 {
		atomic.OrUint64(&k.places.bits[k.word], k.bits)
	}
	k.bits = 0
}

// pages sums the pages before rw, and walks the symbols.
func (p *proof) pages() bool {
	symbols, all := p.h.Parts[disk.PartSymbols], disk.Summed(p.h)
	before := p.pagesOf(all.Offset, symbols.Offset)
	behind := p.pagesOf(symbols.End(), p.h.Region(disk.RegionRW).Offset)
	if p.h.Region(disk.RegionRW).Size == 0 {
		behind.end = p.tree.Pages()
	}
	tasks := append(before.split(), behind.split()...)
	spans := p.symbolSpans
	return p.share(len(spans)+len(tasks), func(w *worker, i int) bool {
		if i >= len(spans) {
			return tasks[i-len(spans)].rest()
		}
		pages := w.pagesOf(spans[i].Offset, spans[i].End())
		return w.symbols(spans[i], &pages) && pages.rest()
	})
}

// split divides pages into tasks.
func (s *summer) split() (tasks []summer) {
	const few = 512
	for at := s.next; at < s.end; at += few {
		tasks = append(tasks, summer{proof: s.proof, next: at, end: min(at+few, s.end)})
	}
	return tasks
}

// symbols walks symbols up to the end of a span: they ascend, end in zeros, and lists are
// made of texts. It sums pages as it reaches them.
func (w *worker) symbols(span layout.Span, pages *summer) bool {
	section := w.h.Parts[disk.PartSymbols]
	names, texts := marker{places: &w.starts.names}, marker{places: &w.starts.texts}
	lists := marker{places: &w.starts.lists}
	var last []byte
	at := span.Offset
	for at < span.End() {
		if !pages.upTo(at + 1) {
			return false
		}
		text, size, list, ok := w.symbol(section, at)
		if !ok || at > span.Offset && bytes.Compare(last, text) >= 0 {
			return false
		}
		switch {
		case list:
			lists.add(at)
			w.found.lists = append(w.found.lists, at)
			w.list, w.before = w.before, w.list // keeps the text that is now the last
		default:
			texts.add(at)
			if len(text) <= disk.MaxName && bytes.IndexByte(text, 0) < 0 {
				names.add(at)
			}
		}
		last = text
		w.found.symbols++
		at += size
	}
	names.flush()
	texts.flush()
	lists.flush()
	if at == span.End() && at < section.End() {
		next, _, _, ok := w.symbol(section, at)
		return ok && bytes.Compare(last, next) < 0
	}
	return at == span.End()
}

// symbol returns the text of the symbol at an offset, and its size with its padding, which must be zeros.
func (w *worker) symbol(section layout.Span, at int64) (text []byte, size int64, list, ok bool) {
	if section.End()-at < disk.Unit {
		return nil, 0, false, false
	}
	head := w.data[at:]
	parts, list := disk.SymbolParts(head)
	used := 4 + parts
	if list {
		used = 4 + 4*parts
	}
	size = disk.AlignUp(used, disk.Unit)
	if size > section.End()-at || list && (parts == 0 || parts > disk.MaxName) {
		return nil, 0, list, false
	}
	if pad := size - used; le.Uint64(head[size-disk.Unit:])>>(8*(disk.Unit-pad)) != 0 {
		return nil, 0, list, false
	}
	if !list {
		return head[4:used:used], size, false, true
	}
	w.list, ok = w.join(w.list[:0], section, head[:used])
	return w.list, size, true, ok
}

// join appends the text of a list. Nothing is known of its parts yet.
func (w *worker) join(b []byte, section layout.Span, list []byte) (text []byte, ok bool) {
	parts, _ := disk.SymbolParts(list)
	total, begin := int64(0), len(b)
	for i := range parts {
		var part []byte
		if n := disk.SymbolPart(list, i); n != 0 {
			if !section.Holds(n.Offset(), disk.Unit) {
				return b, false
			}
			size := disk.SymbolLength(w.data[n.Offset():])
			if !section.Holds(n.Offset(), 4+size) {
				return b, false
			}
			part = w.data[n.Offset()+4:][:size]
		}
		if total += int64(len(part)) + 1; total > disk.MaxName {
			return b, false
		}
		if i > 1 {
			b = append(b, ',')
		}
		b = append(b, part...)
		if i == 0 {
			b = append(b, '(')
		}
	}
	b = append(b, ')')
	w.found.listText += int64(len(b)-begin) + disk.ListText(parts)
	return b, true
}

// lists checks what lists are made of, once it is known where texts are.
func (p *proof) lists() bool {
	for _, at := range p.found.lists {
		list := p.data[at:]
		parts, _ := disk.SymbolParts(list)
		for i := range parts {
			if !p.starts.names.has(disk.SymbolPart(list, i)) {
				return false
			}
		}
	}
	return true
}

// name returns the text at a place, where a text that can be part of a key must begin, or empty for 0.
func (p *proof) name(n layout.Ref) (text string, ok bool) {
	if n == 0 {
		return "", true
	}
	if !p.starts.names.has(n) {
		return "", false
	}
	at := n.Offset()
	size := disk.SymbolLength(p.data[at:])
	if !p.h.Parts[disk.PartSymbols].Holds(at, 4+size) {
		return "", false // the file was changed since
	}
	return words.String(p.data[at+4 : at+4+size]), true
}

// signature returns the text of a signature, and its share of the limit of all keys.
// A list's text is valid until the next one.
func (w *worker) signature(n layout.Ref) (text string, counts int64, ok bool) {
	if n == 0 || !w.starts.lists.has(n) {
		text, ok = w.name(n)
		return text, int64(len(text)), ok
	}
	list := w.data[n.Offset():]
	parts, _ := disk.SymbolParts(list)
	before := w.found.listText
	w.list, ok = w.join(w.list[:0], w.h.Parts[disk.PartSymbols], list)
	w.found.listText = before // each list counts once
	return words.String(w.list), disk.ListText(parts) + int64(len(w.list)), ok
}
