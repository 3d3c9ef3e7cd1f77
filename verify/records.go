package verify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const (
	sampleEvery = 256     // one of this number of methods provides bounds of spans
	spanSize    = 1 << 18 // minimum size of a span of symbols or blocks in bytes
)

// findMethods finds the start of each method record. It cuts symbols, blocks and method records into spans at the
// offsets of a sample of the methods. In a walk that names problems, each part is one span.
func (w *walk) findMethods() {
	section := w.h.Parts[disk.PartMethods]
	mark := marker{places: &w.starts.methods}
	var symbols, blocks, methods []int64
	at := section.Offset
	for at < section.End() {
		rec, size, ok := w.methodHead(section, at)
		if !ok {
			_, err := w.s.MethodAt(disk.RefOf(at))
			w.starts.methods.partial = true
			w.refused(inPlaces, at, err)
			break
		}
		if w.records.Methods%sampleEvery == 0 && !w.naming {
			methods = append(methods, at)
			blocks = append(blocks, rec.Profiles.Offset())
			symbols = append(symbols, rec.Name.Offset(), rec.Signature.Offset())
		}
		mark.markRecord(at)
		w.records.Methods++
		at += size
	}
	mark.flush()
	section.Size = at - section.Offset
	w.methodsEnd = at
	w.records.Methods += uint64(w.rows())
	w.records.Unexecuted += uint64(w.rows())
	slices.Sort(symbols)
	w.symbolSpans = cut(w.h.Parts[disk.PartSymbols], symbols, spanSize)
	w.blockSpans = cut(disk.RegionOf(w.h, disk.RegionRW), blocks, spanSize)
	w.methodSpans = cut(section, methods, spanSize/16)
}

func (w *walk) rows() int64 {
	section := w.h.Parts[disk.PartUnexecuted]
	if section.Size < disk.UnexecutedHeaderSize {
		return 0
	}
	_, rows, err := disk.ParseUnexecuted(section, w.data[section.Offset:])
	if err != nil {
		return 0
	}
	return rows.Size / disk.UnexecutedRowSize
}

func (w *walk) methodHead(section layout.Span, at int64) (rec disk.MethodRecord, size int64, ok bool) {
	size = disk.ParseMethodHead(w.data[at:]).Size()
	if size > section.End()-at || rec.Parse(w.data[at:at+size]) != nil {
		return rec, 0, false
	}
	hasID := rec.Flags&disk.MethodHasID != 0
	if hasID != (rec.Profiles == 0) {
		return rec, 0, false
	}
	if !hasID {
		w.profiled++
	}
	if rec.Flags&disk.MethodUnexecuted != 0 {
		w.records.Unexecuted++
		if rec.Profiles != 0 || rec.NumContexts != 0 {
			w.doubt()
		}
	}
	if rec.NumContexts != 0 {
		w.findContexts(at, &rec)
	}
	return rec, size, true
}

// cut cuts a part of the file into spans of at least size bytes. It uses the given offsets that are far enough apart.
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

func cutEven(whole layout.Span, size int64) (spans []layout.Span) {
	for at := whole.Offset; at < whole.End(); at += size {
		spans = append(spans, layout.Span{Offset: at, Size: min(size, whole.End()-at)})
	}
	return spans
}

// recordsAndBlocks checks everything that refers to symbols and methods, once their offsets are known. These are
// blocks, rows, contexts, methods, types and the index. Tasks for blocks come first, because a walk that names problems
// needs the offsets of all blocks when it checks methods.
func (w *walk) recordsAndBlocks() {
	w.openSlots()
	typeSpans := cutEven(w.h.Parts[disk.PartTypes], 4096*disk.TypeSize)
	lineSpans := cutEven(disk.RegionOf(w.h, disk.RegionIX), 4096*disk.LineSize)
	kinds := []struct {
		n    int
		task func(w *worker, i int)
	}{
		{len(w.blockSpans), func(w *worker, i int) {
			pages := w.pagesOf(w.blockSpans[i].Offset, w.blockSpans[i].End())
			if i+1 == len(w.blockSpans) {
				pages.end = w.tree.Pages()
			}
			w.blocks(w.blockSpans[i], &pages)
			pages.rest()
		}},
		{1, func(w *worker, _ int) { w.unexecuted() }},
		{len(w.methodSpans), func(w *worker, i int) { w.methods(w.methodSpans[i]) }},
		{len(w.inContext), func(w *worker, i int) { w.contexts(w.inContext[i]) }},
		{len(typeSpans), func(w *worker, i int) { w.types(typeSpans[i]) }},
		{len(lineSpans), func(w *worker, i int) { w.lines(lineSpans[i]) }},
	}
	all := 0
	for _, k := range kinds {
		all += k.n
	}
	w.share(all, func(w *worker, i int) {
		k := 0
		for ; i >= kinds[k].n; k++ {
			i -= kinds[k].n
		}
		kinds[k].task(w, i)
	})
}

func (w *worker) types(span layout.Span) {
	for at := span.Offset; at < span.End(); at += disk.TypeSize {
		rec := disk.ParseType(w.data[at:span.End()])
		name, named := w.name(inTypes, at, "name of a type", rec.Name)
		loader, loaded := w.optionalName(inTypes, at, "loader or alias of a type", rec.Loader)
		alias, _ := w.optionalName(inTypes, at, "loader or alias of a type", rec.Alias)
		w.found.typeText += int64(len(name) + len(loader) + len(alias))
		if id := layout.TypeID(name, loader); named && loaded && rec.ID != id {
			w.wrong(inTypes, at, disk.RegionRO, at, "type %q has id %016x, recorded is %016x", abridged(name), id, rec.ID)
		}
		if at > w.h.Parts[disk.PartTypes].Offset {
			last := disk.ParseType(w.data[at-disk.TypeSize : at])
			order := cmp.Or(cmp.Compare(last.Name, rec.Name), cmp.Compare(last.Loader, rec.Loader))
			if order >= 0 && w.readable(&disk.BlockKey{Name: last.Name, Loader: last.Loader}) &&
				w.readable(&disk.BlockKey{Name: rec.Name, Loader: rec.Loader}) {
				w.wrong(inTypes, at, disk.RegionRO, at, "a type that does not sort behind the one before")
			}
		}
		w.seek(sought{id: rec.ID, kind: disk.KindType, ref: disk.RefOf(at), record: disk.RefOf(at)})
	}
}

// abridged returns the first 80 bytes of a name, for an error.
func abridged(name string) string { return name[:min(len(name), 80)] }

type recordKey struct {
	key     disk.BlockKey
	inClass bool   // the method belongs to a type
	named   bool   // the record contains the name
	held    string // the contained name
}

// keyOf returns the key of a method record without reading its texts. ok is false if the type cannot be read.
func (w *walk) keyOf(at int64, rec *disk.MethodRecord) (k recordKey, ok bool) {
	if rec.Flags&disk.MethodNamed != 0 {
		held := disk.RecordName(w.data[at+rec.Size() : at+int64(rec.Units)*disk.Unit])
		k.named, k.held = true, words.StringOf(held)
		return k, true
	}
	k.key.Name = rec.Name
	k.key.Signature = rec.Signature
	if rec.Holder == 0 {
		return k, true
	}
	if !w.isType(rec.Holder) {
		_, err := w.s.TypeAt(rec.Holder)
		w.refused(inMethods, at, err)
		return k, false
	}
	t := disk.ParseType(w.data[rec.Holder.Offset():])
	k.key.Class = t.Name
	k.key.Loader = t.Loader
	k.inClass = true
	return k, true
}

func (w *walk) record(at int64) (rec disk.MethodRecord) {
	size := disk.ParseMethodHead(w.data[at:]).Size()
	if !w.h.Parts[disk.PartMethods].Holds(at, size) || rec.Parse(w.data[at:at+size]) != nil {
		w.refused(inPlaces, at, nil) // the file was changed during the check
		return disk.MethodRecord{Units: 1}
	}
	return rec
}

// methods checks the method records of a span. It also compares the last key with the first one of the next span. A
// method with a profile is hashed by the task for its block, or here in a walk that names problems.
func (w *worker) methods(span layout.Span) {
	var last recordKey
	known := false
	for at := span.Offset; at < w.methodsEnd && w.goesOn(); {
		rec := w.record(at)
		k, ok := w.keyOf(at, &rec)
		if at < span.End() && ok {
			w.hashRecord(at, k, &rec)
		}
		if known && ok {
			w.ascend(at, &last, &k)
		}
		if at >= span.End() {
			return
		}
		last, known = k, ok
		at += int64(rec.Units) * disk.Unit
	}
}

// hashRecord checks the key and the ID of a method, unless the task for its first block does so.
func (w *worker) hashRecord(at int64, k recordKey, rec *disk.MethodRecord) {
	method := disk.RefOf(at)
	if rec.Profiles == 0 {
		w.hash(keyedAt(k, rec, method, 0, rec.ID))
		return
	}
	if !w.naming {
		return
	}
	p, err := w.s.ProfileAt(rec.Profiles)
	if err != nil {
		w.refused(inMethods, at, err)
		lost := keyedAt(k, rec, method, rec.Profiles, 0)
		lost.idLost = true
		w.hash(lost)
		return
	}
	b := disk.Block(p.Bytes())
	id, ok := b.ID()
	if !ok || b.Method() != method {
		id = 0
	}
	w.head(k, rec, method, rec.Profiles, b, id)
}

// ascend checks that next, the key of the record or row at an offset, is greater than last. Offsets sort like texts.
func (w *walk) ascend(at int64, last, next *recordKey) {
	x := &last.key
	y := &next.key
	names := cmp.Compare(x.Name, y.Name)
	if x.Name == 0 || y.Name == 0 {
		name, _ := w.textOf(inMethods, at, x.Name)
		other, _ := w.textOf(inMethods, at, y.Name)
		names = strings.Compare(name+last.held, other+next.held)
	}
	if cmp.Or(cmp.Compare(x.Class, y.Class), names, cmp.Compare(x.Signature, y.Signature),
		cmp.Compare(x.Loader, y.Loader)) >= 0 && w.readable(x) && w.readable(y) {
		w.wrong(inMethods, at, disk.RegionRO, at, "a method that does not sort behind the one before")
	}
}

// readable reports whether the reader accepts the texts of a key. It reports no problem, since other steps do.
func (w *walk) readable(k *disk.BlockKey) bool {
	for _, n := range [...]layout.Ref{k.Class, k.Name, k.Signature, k.Loader} {
		_, err := w.s.SymbolAt(n)
		if _, list := w.listAt(n); err != nil && !list {
			w.doubt()
			return false
		}
	}
	return true
}

func (w *walk) allTables() {
	const atOnce = 1 << 14
	for t, err := range w.s.Tables() {
		if err != nil {
			w.refused(inTables, int64(w.tables)<<32, err)
			return
		}
		w.share((t.Rows+atOnce-1)/atOnce, func(w *worker, i int) {
			for column := range t.Columns() {
				w.column(&t, column, i*atOnce, min((i+1)*atOnce, t.Rows))
			}
		})
		w.tables++
	}
}

func (w *worker) column(t *reader.Table, column, from, to int) {
	kind := t.Column(column)
	for row := from; kind != disk.ColumnWord && row < to; row++ {
		n := layout.Ref(t.Cell(column, row))
		if n == 0 {
			continue
		}
		if err := w.reference(kind, n); err != nil {
			w.noteError(inTables, int64(w.tables)<<32+int64(row), err)
		}
	}
}

func (w *walk) reference(kind disk.ColumnKind, n layout.Ref) (err error) {
	region := disk.RegionRO
	what := ""
	known := true
	switch kind {
	case disk.ColumnSymbol:
		what, known = "text", w.starts.symbols.partial || w.isText(n)
		if !w.isText(n) {
			_, err = w.s.SymbolAt(n)
		}
	case disk.ColumnType:
		if !w.isType(n) {
			_, err = w.s.TypeAt(n)
		}
	case disk.ColumnMethod:
		row := w.isRow(n)
		what, known = "method", row || w.starts.methods.mayHave(n)
		if w.naming || !known {
			_, err = w.s.MethodAt(n)
		}
	case disk.ColumnProfile:
		what, known = "profile", w.starts.blocks.mayHave(n)
		if !w.starts.blocks.has(n) {
			region = disk.RegionRW
			_, err = w.s.ProfileAt(n)
		}
	case disk.ColumnContext:
		if w.naming || !w.isContext(n) {
			_, err = w.s.ContextAt(n)
		}
	}
	if err == nil && !known {
		err = disk.Corrupt(region, n.Offset(), "a table leads here, where no %s begins", what)
	}
	return err
}

func (w *walk) isRow(n layout.Ref) bool {
	section := w.h.Parts[disk.PartUnexecuted]
	return section.Holds(n.Offset(), disk.UnexecutedRowSize) && n.Offset() >= section.End()-w.rows()*disk.UnexecutedRowSize
}

// unexecuted checks the rows of unexecuted methods and their classes. Both must be sorted by key like method records,
// and no method may have both a row and a record.
func (w *worker) unexecuted() {
	section := w.h.Parts[disk.PartUnexecuted]
	if section.Size == 0 {
		return
	}
	classes, rows, err := disk.ParseUnexecuted(section, w.data[section.Offset:])
	if err != nil {
		w.refused(inClasses, section.Offset, disk.Corrupt(disk.RegionRO, section.Offset, "%v", err))
		return
	}
	record := w.h.Parts[disk.PartMethods].Offset
	last := disk.ClassRow{}
	row := int64(0)
	all := rows.Size / disk.UnexecutedRowSize
	for at := classes.Offset; at < classes.End() && w.goesOn(); at += disk.ClassRowSize {
		class := disk.ParseClassRow(w.data[at:])
		if class.Holder <= last.Holder || class.End <= last.End {
			w.wrong(inClasses, at, disk.RegionRO, at,
				"a class of methods that never ran does not come behind the one before, or has none")
		} else {
			w.rowClass(at, class.Holder)
		}
		var before recordKey
		for ; row < min(int64(class.End), all); row++ {
			here := rows.Offset + row*disk.UnexecutedRowSize
			r := disk.ParseUnexecutedRow(w.data[here:])
			rec := disk.MethodRecord{Name: r.Name, Signature: r.Signature, Holder: class.Holder}
			if k, ok := w.keyOf(here, &rec); ok {
				w.hash(keyed{recordKey: k, sought: sought{record: disk.RefOf(here)}})
				w.ascend(here, &before, &k)
				before = k
			}
			record = w.recordBehind(record, &rec)
		}
		last = class
	}
	if all == 0 || all != int64(last.End) {
		w.wrong(inClasses, rows.Offset, disk.RegionRO, rows.Offset, "%d methods that never ran, their classes have %d", all,
			last.End)
	}
}

// recordBehind returns the offset of the first record from at on that is greater than a row. An equal one is a problem.
func (w *worker) recordBehind(at int64, row *disk.MethodRecord) int64 {
	for at < w.methodsEnd {
		rec := w.record(at)
		order := disk.CompareDeclared(rec, *row)
		if order == 0 {
			w.wrong(inMethods, at, disk.RegionRO, at, "a method that does not sort behind the one before")
		}
		if order >= 0 {
			break
		}
		at += int64(rec.Units) * disk.Unit
	}
	return at
}

// rowClass checks that a class has a name and no loader, and that the next type has another name. Then classes in file
// order are sorted by key. The previous type cannot have the same name, because it would have no loader either.
func (w *worker) rowClass(at int64, holder layout.Ref) {
	if !w.isType(holder) {
		_, err := w.s.TypeAt(holder)
		w.refused(inClasses, at, err)
		return
	}
	t := disk.ParseType(w.data[holder.Offset():])
	name, ok := w.textOf(inClasses, at, t.Name)
	next := holder + disk.TypeSize/disk.Unit
	same := w.isType(next) && disk.ParseType(w.data[next.Offset():]).Name == t.Name
	if ok && (name == "" || t.Loader != 0 || same) {
		w.wrong(inClasses, at, disk.RegionRO, at,
			"class %q of methods that never ran is not the only one of that name, or has a loader", name)
	}
}
