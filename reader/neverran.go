package reader

import (
	"cmp"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Methods that never ran have rows, and no records, where nothing is known of
// them but their keys; see disk.UnexecutedRow. A row is as good a place for a
// Method as a record.

// hasRow reports whether the method has a row.
func (m Method) hasRow() bool { return m.s != nil && m.head.Units() == 0 }

// rowRecord is what the record of a method with a row would be.
func (m Method) rowRecord() disk.MethodRecord {
	return disk.MethodRecord{Name: m.head.First(), Flags: m.head.Flags(), Holder: layout.Ref(m.id), Signature: layout.Ref(m.id >> 32)}
}

// neverRan says where in the section of methods that never ran its classes and
// rows lie. The section must not be empty.
func (s *Store) neverRan() (classes, rows layout.Span, err error) {
	section := s.h.Parts[disk.PartUnexecuted]
	head, err := s.m.Bytes(layout.RegionRO, section.Offset, disk.UnexecutedHeaderSize)
	if err != nil {
		return layout.Span{}, layout.Span{}, err
	}
	if classes, rows, err = disk.ParseUnexecuted(section, head); err != nil {
		err = s.corrupt(layout.RegionRO, section.Offset, "%v", err)
	}
	return classes, rows, err
}

// inNeverRan reports whether a row of a method that never ran may lie at n.
func (s *Store) inNeverRan(n layout.Ref) bool {
	return s.h.Parts[disk.PartUnexecuted].Holds(n.Offset(), disk.UnexecutedRowSize)
}

// neverRanAt returns the method whose row lies at n.
func (s *Store) neverRanAt(n layout.Ref) (Method, error) {
	classes, rows, err := s.neverRan()
	if err != nil {
		return Method{}, err
	}
	if !rows.Holds(n.Offset(), disk.UnexecutedRowSize) {
		return Method{}, s.corrupt(layout.RegionRO, n.Offset(), "a method where classes of methods that never ran are")
	}
	row := (n.Offset() - rows.Offset) / disk.UnexecutedRowSize
	class, _, err := s.searchClasses(classes, func(c disk.ClassRow) int { return cmp.Compare(int64(c.End), row+1) })
	if err != nil {
		return Method{}, err
	}
	if class == count(classes) {
		return Method{}, s.corrupt(layout.RegionRO, n.Offset(), "a method that never ran, of no class")
	}
	c, err := s.classRow(classes, class)
	if err != nil {
		return Method{}, err
	}
	return s.neverRanOf(c.Holder, n)
}

// neverRanOf is neverRanAt where the class is known.
func (s *Store) neverRanOf(holder, n layout.Ref) (Method, error) {
	b, err := s.m.Bytes(layout.RegionRO, n.Offset(), disk.UnexecutedRowSize)
	if err != nil {
		return Method{}, err
	}
	row := disk.ParseUnexecutedRow(b)
	return Method{s, uint64(row.Signature)<<32 | uint64(holder), row.Head(), n}, nil
}

// count is the number of class rows.
func count(classes layout.Span) int64 { return classes.Size / disk.ClassRowSize }

func (s *Store) classRow(classes layout.Span, i int64) (disk.ClassRow, error) {
	b, err := s.m.Bytes(layout.RegionRO, classes.Offset+i*disk.ClassRowSize, disk.ClassRowSize)
	if err != nil {
		return disk.ClassRow{}, err
	}
	return disk.ParseClassRow(b), nil
}

// searchClasses finds the first class that does not compare as less, and
// whether it is equal.
func (s *Store) searchClasses(classes layout.Span, compare func(disk.ClassRow) int) (at int64, found bool, err error) {
	return searchRows(0, count(classes), func(i int64) (int, error) {
		c, err := s.classRow(classes, i)
		return compare(c), err
	})
}

// searchRows finds the first of the rows from low to below high that does not
// compare as less, and whether it is equal.
func searchRows(low, high int64, compare func(i int64) (int, error)) (at int64, found bool, err error) {
	for low < high {
		middle := low + (high-low)/2
		c, err := compare(middle)
		if err != nil {
			return 0, false, err
		}
		if c < 0 {
			low = middle + 1
		} else {
			high, found = middle, c == 0
		}
	}
	return low, found, nil
}

// findNeverRan returns the method with that key if it has a row, or ErrNotFound.
func (s *Store) findNeverRan(k *layout.Key) (Method, error) {
	if s.h.Parts[disk.PartUnexecuted].Size == 0 || k.Class == "" || k.Loader != "" {
		return Method{}, ErrNotFound
	}
	t, err := s.FindType(k.Class, "")
	if err != nil {
		return Method{}, err
	}
	holder := disk.RefOf(s.typeOffset(t.Ordinal()))
	from, to, at, err := s.rowsOfClass(holder)
	if err != nil {
		return Method{}, err
	}
	i, found, err := searchRows(from, to, func(i int64) (int, error) { return s.compareRow(at+i*disk.UnexecutedRowSize, k) })
	if err != nil {
		return Method{}, err
	}
	if !found {
		return Method{}, ErrNotFound
	}
	return s.neverRanOf(holder, disk.RefOf(at+i*disk.UnexecutedRowSize))
}

// rowsOfClass returns the numbers of the rows of a class, and where row 0 lies. A
// class that has none gives ErrNotFound.
func (s *Store) rowsOfClass(holder layout.Ref) (from, to, at int64, err error) {
	classes, rows, err := s.neverRan()
	if err != nil {
		return 0, 0, 0, err
	}
	i, found, err := s.searchClasses(classes, func(c disk.ClassRow) int { return cmp.Compare(c.Holder, holder) })
	if err != nil {
		return 0, 0, 0, err
	}
	if !found {
		return 0, 0, 0, ErrNotFound
	}
	c, err := s.classRow(classes, i)
	if err == nil && i > 0 {
		var before disk.ClassRow
		before, err = s.classRow(classes, i-1)
		from = int64(before.End)
	}
	if to = int64(c.End); err == nil && (from > to || to > rows.Size/disk.UnexecutedRowSize) {
		err = s.corrupt(layout.RegionRO, classes.Offset+i*disk.ClassRowSize, "a class of the rows %d to %d", from, to)
	}
	return from, to, rows.Offset, err
}

// compareRow compares name and signature of the row at an offset with those of
// a key.
func (s *Store) compareRow(at int64, k *layout.Key) (int, error) {
	b, err := s.m.Bytes(layout.RegionRO, at, disk.UnexecutedRowSize)
	if err != nil {
		return 0, err
	}
	row := disk.ParseUnexecutedRow(b)
	name, err := s.symbol(row.Name)
	if c := name.compare(k.Name); c != 0 || err != nil {
		return c, err
	}
	return s.compareSignature(row.Signature, k.Signature)
}
