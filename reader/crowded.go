package reader

import (
	"cmp"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// crowdedRows returns TableCrowded and the range of rows in which a search goes on. The range is empty if the lines of
// the index answer the search.
func (q *search) crowdedRows(id uint64, kind disk.RecordKind) (t *disk.Table, from, to int, err error) {
	s := q.s
	if s.h.Required&disk.FeatureCrowded == 0 || q.lines != s.h.MaxProbe || q.lines == 0 ||
		!q.currentLine().Overflowed(q.hash) {
		return nil, 0, 0, nil
	}
	if t = s.crowded.Load(); t == nil {
		table, err := s.TableOrEmpty(disk.TableCrowded)
		if err != nil {
			return nil, 0, 0, err
		}
		t = &table.cells
		s.crowded.Store(t)
	}
	from, to = disk.CrowdedRows(t, id, kind)
	return t, from, to, s.checkOpen()
}

// findCrowded returns the reference in the first row in the range of the search whose record is not before the sought
// one by compare; 0 if no row has the sought record.
func (q *search) findCrowded(id uint64, kind disk.RecordKind, compare func(n layout.Ref) (int, error)) (
	layout.Ref, error) {
	t, from, to, err := q.crowdedRows(id, kind)
	if err != nil || from == to {
		return 0, err
	}
	recordOf := func(row int64) layout.Ref { return disk.CrowdedRowOf(t, int(row)).Ref }
	row, found, err := searchRows(int64(from), int64(to), func(row int64) (int, error) { return compare(recordOf(row)) })
	if err != nil || !found {
		return 0, err
	}
	return recordOf(row), nil
}

// findCrowdedMethod returns the method with an id, and with a key unless k is nil, from the rows of TableCrowded.
func (q *search) findCrowdedMethod(id uint64, k *layout.Key) (m Method, err error) {
	n, err := q.findCrowded(id, disk.KindMethod, func(n layout.Ref) (int, error) {
		m, err = q.s.readCrowdedMethod(n, id)
		if err != nil || k == nil {
			return 0, err
		}
		return m.compareKey(k)
	})
	switch {
	case err != nil:
		return Method{}, err
	case n == 0:
		return Method{}, ErrNotFound
	}
	q.lines = 0 // the method has no slot that markReady could mark
	return q.s.readCrowdedMethod(n, id)
}

func (s *Store) readCrowdedMethod(n layout.Ref, id uint64) (Method, error) {
	m, err := s.readMethod(n)
	if err != nil {
		return Method{}, err
	}
	if is, err := m.indexedID(); err != nil {
		return Method{}, err
	} else if is != id {
		return Method{}, s.corruptError(disk.RegionRO, n.Offset(), "the table crowded has a method of id %016x, not %016x",
			id, is)
	}
	return m, nil
}

// isCrowded reports whether a row of TableCrowded in the range of the search refers to the method at n.
func (q *search) isCrowded(id uint64, n layout.Ref) (bool, error) {
	found, err := q.findCrowded(id, disk.KindMethod, func(row layout.Ref) (int, error) { return cmp.Compare(row, n), nil })
	return found != 0, err
}

func (q *search) findCrowdedType(id uint64, name, loader string) (Type, error) {
	n, err := q.findCrowded(id, disk.KindType, func(n layout.Ref) (int, error) {
		t, err := q.s.readTypeRecord(n)
		if err == nil && t.ID != id {
			err = q.s.corruptError(disk.RegionRO, n.Offset(), "the table crowded has a type of id %016x, not %016x", id,
				t.ID)
		}
		if err != nil {
			return 0, err
		}
		return q.s.compareType(&t, name, loader)
	})
	if err != nil {
		return Type{}, err
	}
	if n == 0 {
		return Type{}, ErrNotFound
	}
	return q.s.typeOfRecord(n), nil
}

// compareKey compares the key of the method with k, in the order of the file.
func (m Method) compareKey(k *layout.Key) (int, error) {
	rec := m.readRecord()
	var holder disk.TypeRecord
	if rec.Holder != 0 {
		var err error
		if holder, err = m.s.readTypeRecord(rec.Holder); err != nil {
			return 0, err
		}
	}
	if c, err := m.s.compareSymbol(holder.Name, k.Class); c != 0 || err != nil {
		return c, err
	}
	name, err := m.Name()
	if c := name.compareTo(k.Name); c != 0 || err != nil {
		return c, err
	}
	if c, err := m.s.compareSignature(rec.Signature, k.Signature); c != 0 || err != nil {
		return c, err
	}
	return m.s.compareSymbol(holder.Loader, k.Loader)
}

func (s *Store) compareType(t *disk.TypeRecord, name, loader string) (int, error) {
	if c, err := s.compareSymbol(t.Name, name); c != 0 || err != nil {
		return c, err
	}
	return s.compareSymbol(t.Loader, loader)
}

func (s *Store) compareSymbol(n layout.Ref, text string) (int, error) {
	name, err := s.readSymbol(n)
	return name.compareTo(text), err
}
