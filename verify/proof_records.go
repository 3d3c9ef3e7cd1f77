package verify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/format/words"
	"github.com/profarc/profarc/layout"
)

const (
	sampleEvery = 256     // methods: one of so many says where symbols and blocks begin
	spanSize    = 1 << 18 // of a part that is walked by itself, at least
)

// findMethods notes where the records of methods begin, and cuts the parts of the file
// whose records differ in size into spans: where a method of a sample says that a record
// begins. A span that does not end where the next one begins is no proof.
func (p *proof) findMethods() bool {
	section := p.h.Parts[disk.PartMethods]
	mark := marker{places: &p.starts.methods}
	var symbols, blocks, methods []int64
	for at := section.Offset; at < section.End(); {
		rec, size, ok := p.methodHead(section, at)
		if !ok {
			return false
		}
		if p.records.Methods%sampleEvery == 0 {
			methods = append(methods, at)
			blocks = append(blocks, rec.Profiles.Offset())
			symbols = append(symbols, rec.Name.Offset(), rec.Signature.Offset())
		}
		mark.add(at)
		p.records.Methods++
		at += size
	}
	mark.flush()
	p.records.Methods += uint64(p.rows())
	p.records.Unexecuted += uint64(p.rows())
	slices.Sort(symbols)
	p.symbolSpans = cut(p.h.Parts[disk.PartSymbols], symbols, spanSize)
	p.blockSpans = cut(p.h.Region(disk.RegionRW), blocks, spanSize)
	p.methodSpans = cut(section, methods, spanSize/16)
	return true
}

// rows returns the number of methods that have rows, if their section is sound.
func (p *proof) rows() int64 {
	section := p.h.Parts[disk.PartUnexecuted]
	if section.Size < disk.UnexecutedHeaderSize {
		return 0
	}
	_, rows, err := disk.ParseUnexecuted(section, p.data[section.Offset:])
	if err != nil {
		return 0
	}
	return rows.Size / disk.UnexecutedRowSize
}

// methodHead reads the record of a method, and checks what can be said of it by itself.
func (p *proof) methodHead(section layout.Span, at int64) (rec disk.MethodRecord, size int64, ok bool) {
	if section.End()-at < disk.MinMethodSize {
		return rec, 0, false
	}
	size = disk.ParseMethodHead(p.data[at:]).Size()
	if size > section.End()-at || rec.Parse(p.data[at:at+size]) != nil {
		return rec, 0, false
	}
	hasID := rec.Flags&disk.MethodHasID != 0
	if hasID != (rec.Profiles == 0) {
		return rec, 0, false
	}
	if !hasID {
		p.profiled++
	}
	if rec.Flags&disk.MethodUnexecuted != 0 {
		p.records.Unexecuted++
		if rec.Profiles != 0 || rec.NumContexts != 0 {
			return rec, 0, false
		}
	}
	if rec.NumContexts != 0 {
		contexts := p.h.Parts[disk.PartContexts]
		first := contexts.Offset + int64(p.records.Contexts)*disk.ContextSize
		if rec.Contexts.Offset() != first || !contexts.Holds(first, int64(rec.NumContexts)*disk.ContextSize) {
			return rec, 0, false
		}
		p.inContext = append(p.inContext, at)
		p.records.Contexts += uint64(rec.NumContexts)
	}
	return rec, size, true
}

// cut cuts a part of the file at some of the places, which need not be sorted, into spans of some size.
func cut(whole layout.Span, places []int64, size int64) (spans []layout.Span) {
	from := whole.Offset
	for _, at := range places {
		if at >= from+size && at < whole.End() {
			spans = append(spans, layout.Span{Offset: from, Size: at - from})
			from = at
		}
	}
	if from < whole.End() {
		spans = append(spans, layout.Span{Offset: from, Size: whole.End() - from})
	}
	return spans
}

// recordsAndBlocks checks, once it is known where symbols and methods begin, everything
// that refers to them: types, methods, rows, contexts, blocks, and the lines of the index.
func (p *proof) recordsAndBlocks() bool {
	if !p.openSlots() {
		return false
	}
	types, lines := p.h.Parts[disk.PartTypes], p.h.Region(disk.RegionIX)
	typeSpans := cutEven(types, 4096*disk.TypeSize)
	lineSpans := cutEven(lines, 4096*disk.LineSize)
	kinds := []struct {
		n    int
		task func(w *worker, i int) bool
	}{
		{1, func(w *worker, _ int) bool { return w.unexecuted() }},
		{len(p.blockSpans), func(w *worker, i int) bool {
			pages := w.pagesOf(w.blockSpans[i].Offset, w.blockSpans[i].End())
			if i+1 == len(w.blockSpans) {
				pages.end = w.tree.Pages()
			}
			return w.blocks(w.blockSpans[i], &pages) && pages.rest()
		}},
		{len(p.inContext), func(w *worker, i int) bool { return w.contexts(w.inContext[i]) }},
		{len(p.methodSpans), func(w *worker, i int) bool { return w.methods(w.methodSpans[i]) }},
		{len(typeSpans), func(w *worker, i int) bool { return w.types(typeSpans[i]) }},
		{len(lineSpans), func(w *worker, i int) bool { return w.lines(lineSpans[i]) }},
	}
	all := 0
	for _, k := range kinds {
		all += k.n
	}
	return p.share(all, func(w *worker, i int) bool {
		k := 0
		for ; i >= kinds[k].n; k++ {
			i -= kinds[k].n
		}
		return kinds[k].task(w, i)
	})
}

// cutEven cuts a part of the file into spans of one size.
func cutEven(whole layout.Span, size int64) (spans []layout.Span) {
	for at := whole.Offset; at < whole.End(); at += size {
		spans = append(spans, layout.Span{Offset: at, Size: min(size, whole.End()-at)})
	}
	return spans
}

// types checks the type records of a span.
func (w *worker) types(span layout.Span) bool {
	for at := span.Offset; at < span.End(); at += disk.TypeSize {
		rec := disk.ParseType(w.data[at:span.End()])
		if at > w.h.Parts[disk.PartTypes].Offset {
			last := disk.ParseType(w.data[at-disk.TypeSize : at])
			if cmp.Or(cmp.Compare(last.Name, rec.Name), cmp.Compare(last.Loader, rec.Loader)) >= 0 {
				return false
			}
		}
		name, named := w.name(rec.Name)
		loader, loaded := w.name(rec.Loader)
		alias, aliased := w.name(rec.Alias)
		if !named || rec.Name == 0 || !loaded || !aliased || rec.ID != layout.TypeID(name, loader) {
			return false
		}
		w.found.typeText += int64(len(name) + len(loader) + len(alias))
		if !w.seek(sought{id: rec.ID, kind: disk.KindType, ref: disk.RefOf(at)}) {
			return false
		}
	}
	return true
}

// isType reports whether a type record is at n.
func (p *proof) isType(n layout.Ref) bool {
	types := p.h.Parts[disk.PartTypes]
	return types.Holds(n.Offset(), disk.TypeSize) && (n.Offset()-types.Offset)%disk.TypeSize == 0
}

// A recordKey is the key of a method as its record has it.
type recordKey struct {
	key   disk.BlockKey
	named bool   // its name is in the record
	held  string // this name
}

// keyOf returns the key of the record of a method at an offset, without looking at texts.
func (p *proof) keyOf(at int64, rec *disk.MethodRecord) (k recordKey, ok bool) {
	if rec.Flags&disk.MethodNamed != 0 {
		held := disk.RecordName(p.data[at+rec.Size() : at+int64(rec.Units)*disk.Unit])
		k.named, k.held = true, words.String(held)
		return k, strings.IndexByte(k.held, 0) < 0
	}
	k.key.Name, k.key.Signature = rec.Name, rec.Signature
	if rec.Holder == 0 {
		return k, true
	}
	if !p.isType(rec.Holder) {
		return k, false
	}
	t := disk.ParseType(p.data[rec.Holder.Offset():])
	k.key.Class, k.key.Loader = t.Name, t.Loader
	return k, true
}

// record returns the record of a method that begins at an offset.
func (p *proof) record(at int64) (rec disk.MethodRecord) {
	size := disk.ParseMethodHead(p.data[at:]).Size()
	if !p.h.Parts[disk.PartMethods].Holds(at, size) || rec.Parse(p.data[at:at+size]) != nil {
		return disk.MethodRecord{} // the file was changed since
	}
	return rec
}

// methods checks the method records of a span, and their order up to the first of the
// next span. That of a method with a profile is hashed where the profile is.
func (w *worker) methods(span layout.Span) bool {
	var last recordKey
	section := w.h.Parts[disk.PartMethods]
	for at := span.Offset; at < section.End(); {
		rec := w.record(at)
		k, ok := w.keyOf(at, &rec)
		if !ok || rec.Units == 0 || at > span.Offset && !w.ascend(&last, &k) {
			return false
		}
		if at >= span.End() {
			return at == span.End()
		}
		if rec.Profiles == 0 && !w.hash(keyedAt(k, &rec, disk.RefOf(at), 0, rec.ID)) {
			return false
		}
		last = k
		at += int64(rec.Units) * disk.Unit
	}
	return true
}

// ascend reports whether a key sorts before the next one. Symbols are sorted, so that
// their places stand for their texts.
func (p *proof) ascend(last, next *recordKey) bool {
	x, y := &last.key, &next.key
	names := cmp.Compare(x.Name, y.Name)
	if x.Name == 0 || y.Name == 0 {
		name, known := p.name(x.Name)
		other, alsoKnown := p.name(y.Name)
		if names = strings.Compare(name+last.held, other+next.held); !known || !alsoKnown {
			return false
		}
	}
	return cmp.Or(cmp.Compare(x.Class, y.Class), names, cmp.Compare(x.Signature, y.Signature),
		cmp.Compare(x.Loader, y.Loader)) < 0
}

// unexecuted checks the methods that have rows: their classes and keys, and that they and
// the records are in one order, and no two are equal.
func (w *worker) unexecuted() bool {
	section := w.h.Parts[disk.PartUnexecuted]
	if section.Size == 0 {
		return true
	}
	if section.Size < disk.UnexecutedHeaderSize {
		return false
	}
	classes, rows, err := disk.ParseUnexecuted(section, w.data[section.Offset:])
	if err != nil || rows.Size == 0 {
		return false
	}
	merge := recordMerge{proof: w.proof, at: w.h.Parts[disk.PartMethods].Offset}
	last, row := disk.ClassRow{}, int64(0)
	for at := classes.Offset; at < classes.End(); at += disk.ClassRowSize {
		class := disk.ParseClassRow(w.data[at:])
		if class.Holder <= last.Holder || class.End <= last.End || int64(class.End) > rows.Size/disk.UnexecutedRowSize ||
			!w.rowClass(class.Holder) {
			return false
		}
		for ; row < int64(class.End); row++ {
			r := disk.ParseUnexecutedRow(w.data[rows.Offset+row*disk.UnexecutedRowSize:])
			rec := disk.MethodRecord{Name: r.Name, Signature: r.Signature, Holder: class.Holder}
			k, ok := w.keyOf(0, &rec)
			if !ok || !w.hash(keyed{recordKey: k}) || !merge.next(&rec, &k) {
				return false
			}
		}
		last = class
	}
	return row == rows.Size/disk.UnexecutedRowSize
}

// rowClass checks that a class has a name of its own and no loader.
func (w *worker) rowClass(holder layout.Ref) bool {
	if !w.isType(holder) {
		return false
	}
	t := disk.ParseType(w.data[holder.Offset():])
	name, ok := w.name(t.Name)
	if !ok || name == "" || t.Loader != 0 {
		return false
	}
	next := holder + disk.TypeSize/disk.Unit
	return !w.isType(next) || disk.ParseType(w.data[next.Offset():]).Name != t.Name
}

// A recordMerge goes over the records beside the rows.
type recordMerge struct {
	*proof
	at   int64 // of the first record behind the rows so far
	last recordKey
	any  bool
}

// next goes over the records that come before a row, and takes the row. All of them must ascend.
func (m *recordMerge) next(row *disk.MethodRecord, k *recordKey) bool {
	end := m.h.Parts[disk.PartMethods].End()
	for m.at < end {
		rec := m.record(m.at)
		if compareDeclared(&rec, row) >= 0 {
			break
		}
		r, ok := m.keyOf(m.at, &rec)
		if !ok || rec.Units == 0 || !m.take(&r) {
			return false
		}
		m.at += int64(rec.Units) * disk.Unit
	}
	if m.at < end { // the row sorts before it
		rec := m.record(m.at)
		r, ok := m.keyOf(m.at, &rec)
		if !ok || !m.ascend(k, &r) {
			return false
		}
	}
	return m.take(k)
}

func (m *recordMerge) take(k *recordKey) bool {
	if m.any && !m.ascend(&m.last, k) {
		return false
	}
	m.last, m.any = *k, true
	return true
}

func compareDeclared(a, b *disk.MethodRecord) int {
	return cmp.Or(cmp.Compare(a.Holder, b.Holder), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Signature, b.Signature))
}

// contexts checks the contexts of the method whose record begins at an offset.
func (w *worker) contexts(method int64) bool {
	rec := w.record(method)
	n, first := disk.RefOf(method), rec.Contexts
	level, depth := n, 0
	var last disk.ContextRecord
	for i := range int64(rec.NumContexts) {
		at := first + layout.Ref(i*disk.ContextSize/disk.Unit)
		if !w.h.Parts[disk.PartContexts].Holds(at.Offset(), disk.ContextSize) {
			return false
		}
		c := disk.ParseContext(w.data[at.Offset():])
		inside := c.Parent >= first && c.Parent < at && (c.Parent-first)%(disk.ContextSize/disk.Unit) == 0
		if c.Parent != n && !inside || last.Compare(c) >= 0 || !w.starts.methods.has(c.Caller) {
			return false
		}
		if c.Parent >= level {
			level = at
			depth++
		}
		if depth > disk.MaxDepth || disk.ParseMethodHead(w.data[c.Caller.Offset():]).Flags()&disk.MethodUnexecuted != 0 {
			return false
		}
		if c.Profiles != 0 {
			w.found.chains = append(w.found.chains, chainStart{method: n, context: at, first: c.Profiles})
		}
		last = c
	}
	return true
}
