package verify

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

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
