package reader

import (
	"iter"
	"math"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// walkBatch is the number of records read under one fault guard.
const walkBatch = 64

// Methods iterates over all methods in the order of their keys. Iteration ends with an error if a record cannot be
// read, or if the keys have more text than a sound archive of this size can have.
func (s *Store) Methods() iter.Seq2[Method, error] {
	return func(yield func(Method, error) bool) {
		budget := s.newTextBudget(&s.methodText)
		records := s.newRecordWalk(&budget)
		rows := s.newRowWalk(&budget)
		for {
			m, err := takeFirst(&records, &rows)
			if err != nil {
				yield(Method{}, err)
				return
			}
			if m == nil {
				budget.markMeasured()
				return
			}
			if !yield(*m, nil) {
				return
			}
		}
	}
}

// Profiles iterates over the profiles of all methods in the order of the methods. An error ends it.
func (s *Store) Profiles() iter.Seq2[Profile, error] {
	return func(yield func(Profile, error) bool) {
		for m, err := range s.Methods() {
			if err != nil {
				yield(Profile{}, err)
				return
			}
			for p, err := range m.Profiles() {
				if !yield(p, err) || err != nil {
					return
				}
			}
		}
	}
}

// CheckProfilesOf checks the pages from the first to the last of the methods' profiles. An archive opened with
// archive.OpenRanges reads them at once.
func (s *Store) CheckProfilesOf(methods []Method) error {
	first := int64(math.MaxInt64)
	last := int64(0)
	for _, m := range methods {
		if n := m.firstProfile(); n != 0 && s.isInRW(n) {
			first = min(first, n.Offset())
			last = max(last, n.Offset())
		}
	}
	if last == 0 {
		return nil
	}
	return s.m.Guard(func() error {
		return s.m.Check(disk.RegionRW, first, min(last+disk.PageSize, disk.RegionOf(s.h, disk.RegionRW).End())-first)
	})
}

type methodWalk struct {
	s         *Store
	batch     [walkBatch]Method
	next, end int   // batch[next:end] is the rest of the batch
	err       error // after these

	ended  bool
	budget *textBudget
	read   func() (m Method, more bool, err error) // reads the next method
}

func (w *methodWalk) peekMethod() (*Method, error) {
	if w.next == w.end && w.err == nil && !w.ended {
		w.fillBatch()
	}
	if w.next == w.end {
		return nil, w.err
	}
	return &w.batch[w.next], nil
}

func (w *methodWalk) fillBatch() {
	w.next, w.end = 0, 0
	w.err = w.s.m.Guard(func() error {
		for ; w.end < len(w.batch); w.end++ {
			m, more, err := w.read()
			w.ended = !more
			if !more || err != nil {
				return err
			}
			w.batch[w.end] = m
			if err := w.budget.countMethod(&w.batch[w.end]); err != nil {
				return err
			}
		}
		return nil
	})
}

// takeFirst returns the next method of two walks, which is the lesser by class, name and signature, and advances its
// walk. It returns nil at the end of both walks and after an error.
func takeFirst(records, rows *methodWalk) (*Method, error) {
	r, err := records.peekMethod()
	if err != nil {
		return nil, err
	}
	n, err := rows.peekMethod()
	if err != nil {
		return nil, err
	}
	switch {
	case r == nil && n == nil:
		return nil, nil
	case n == nil || r != nil && disk.CompareDeclared(r.readRecord(), n.readRecord()) < 0:
		records.next++
		return r, nil
	}
	rows.next++
	return n, nil
}

func (s *Store) newRecordWalk(budget *textBudget) methodWalk {
	section := s.h.Parts[disk.PartMethods]
	at := section.Offset
	return methodWalk{s: s, budget: budget, read: func() (m Method, more bool, err error) {
		if at >= section.End() {
			return m, false, nil
		}
		m, err = s.readMethod(disk.RefOf(at))
		at += m.head.Size()
		return m, true, err
	}}
}

func (s *Store) newRowWalk(budget *textBudget) methodWalk {
	if s.h.Parts[disk.PartUnexecuted].Size == 0 {
		return methodWalk{ended: true}
	}
	var (
		classes, rows layout.Span
		c             disk.ClassRow
		class, row    int64
	)
	return methodWalk{s: s, budget: budget, read: func() (m Method, more bool, err error) {
		if classes.Size == 0 {
			classes, rows, err = s.unexecutedSpans()
			if err != nil {
				return m, true, err
			}
		}
		at := rows.Offset + row*disk.UnexecutedRowSize
		if at == rows.End() {
			if row != int64(c.End) || class != countClassRows(classes) {
				err = s.corruptError(disk.RegionRO, at, "%d unexecuted methods, and classes of another number of them", row)
			}
			return m, err != nil, err
		}
		for ; row >= int64(c.End); class++ {
			if class == countClassRows(classes) {
				return m, true, s.corruptError(disk.RegionRO, at, "an unexecuted method of no class")
			}
			last := c.End
			c, err = s.readClassRow(classes, class)
			if err != nil {
				return m, true, err
			}
			if c.End <= last {
				return m, true, s.corruptError(disk.RegionRO, classes.Offset+class*disk.ClassRowSize,
					"a class of unexecuted methods without a row")
			}
		}
		row++
		m, err = s.rowOfClass(c.Holder, disk.RefOf(at))
		return m, true, err
	}}
}

// Types iterates over all types of the archive in the order of their names. An error ends it.
func (s *Store) Types() iter.Seq2[Type, error] {
	return func(yield func(Type, error) bool) {
		budget := s.newTextBudget(&s.typeText)
		for i := range uint32(s.h.Counts.Types) {
			var t Type
			err := s.m.Guard(func() (err error) {
				t, err = s.Type(i)
				if err == nil {
					err = budget.countType(t)
				}
				return err
			})
			if !yield(t, err) || err != nil {
				return
			}
		}
		budget.markMeasured()
	}
}

// A textBudget limits the text of the keys of a walk (disk.MaxKeyText), so that a forged archive cannot share a long
// name among all keys. A walk that once ended within the limit is not measured again.
type textBudget struct {
	s        *Store
	measured *atomic.Bool // set when the walk is measured; nil if it was measured earlier
	text     int64
}

func (s *Store) newTextBudget(met *atomic.Bool) textBudget {
	if met.Load() {
		met = nil
	}
	return textBudget{s: s, measured: met}
}

func (b *textBudget) markMeasured() {
	if b.measured != nil {
		b.measured.Store(true)
	}
}

func (b *textBudget) countMethod(m *Method) error {
	if b.measured == nil {
		return nil
	}
	rec := m.readRecord()
	if rec.Flags&disk.MethodNamed != 0 {
		return nil // the record contains its name
	}
	if err := b.countSymbols(m.at, rec.Name, rec.Signature); err != nil || rec.Holder == 0 {
		return err
	}
	t, err := b.s.readTypeRecord(rec.Holder)
	if err != nil {
		return err
	}
	return b.countSymbols(m.at, t.Name, t.Loader)
}

func (b *textBudget) countType(t Type) error {
	if b.measured == nil {
		return nil
	}
	rec, err := t.readRecord()
	if err != nil {
		return err
	}
	return b.countSymbols(disk.RefOf(b.s.typeOffset(t.ordinal)), rec.Name, rec.Loader, rec.Alias)
}

func (b *textBudget) countSymbols(at layout.Ref, symbols ...layout.Ref) error {
	for _, n := range symbols {
		size, err := b.s.textSize(n)
		if err != nil {
			return err
		}
		b.text += size
	}
	if most := disk.MaxKeyText(b.s.h.FileSize); b.text > most {
		return b.s.corruptError(disk.RegionRO, at.Offset(),
			"names shared so often that the keys up to here have more than %d bytes of text", most)
	}
	return nil
}

func (s *Store) textSize(n layout.Ref) (size int64, err error) {
	list, ok, err := s.readSymbolList(n)
	switch {
	case err != nil || n == 0:
		return 0, err
	case !ok:
		head, err := s.m.Bytes(disk.RegionRO, n.Offset(), lengthSize)
		if err != nil {
			return 0, err
		}
		return disk.SymbolLength(head), nil
	}
	parts, _ := disk.SymbolParts(list)
	size = disk.ListText(parts) + max(parts, 2) // separators
	for i := range parts {
		part := disk.SymbolPart(list, i)
		if part == 0 {
			continue // empty
		}
		head, err := s.m.Bytes(disk.RegionRO, part.Offset(), lengthSize)
		if err != nil {
			return 0, err
		}
		size += disk.SymbolLength(head)
	}
	return size, nil
}
