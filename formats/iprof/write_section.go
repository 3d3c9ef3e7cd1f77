package iprof

import (
	"errors"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// write writes the whole file.
func (e *exporter) write() error {
	clear(e.items) // they have no ids yet
	e.out.raw("{")
	listed := e.listed[listProfiles]
	for i := range e.sections {
		s := &e.sections[i]
		e.out.comma(i)
		e.key(s)
		var err error
		switch {
		case s.kind == foreign:
			e.out.raw(e.raws[keyPath(s.key)])
		case s.kind == version:
			e.out.text([]byte(e.version))
		case s.kind.inProfiles() && e.source != nil:
			err = e.listedRecords(s, e.recordsOf(s, listed))
		default:
			err = e.section(s)
		}
		if err != nil {
			return err
		}
	}
	e.out.raw("}")
	return nil
}

// recordsOf are the profiles of the records of a section.
func (e *exporter) recordsOf(s *orderedSection, listed []layout.Ref) []layout.Ref {
	for i := range e.source.sections {
		from := &e.source.sections[i]
		if !from.kind.inProfiles() {
			continue
		}
		if from.kind == s.kind {
			return listed[:from.listed]
		}
		listed = listed[from.listed:]
	}
	return nil
}

func (e *exporter) key(s *orderedSection) {
	key := s.key
	if s.kind != foreign {
		key = sectionKeys[s.kind]
	}
	e.out.text([]byte(key))
	e.out.raw(":")
}

// section writes a section that is a list but does not list profiles.
func (e *exporter) section(s *orderedSection) error {
	e.out.raw("[")
	var err error
	switch s.kind {
	case types:
		err = e.typeRows(s)
	case methods:
		err = e.methodRows(s)
	case monitors:
		err = e.monitorRecord(s)
	case samples:
		err = e.stacks(s)
	default:
		err = e.allRecords(s.kind)
	}
	e.out.raw("]")
	return err
}

// allRecords writes a section in the order of the archive.
func (e *exporter) allRecords(kind sectionKind) error {
	n := 0
	for _, at := range e.profiles {
		p, err := e.itemsOf(at)
		if err != nil {
			return err
		}
		for i := range p.of[kind] {
			e.out.comma(n)
			n++
			e.record(kind, p, &p.of[kind][i])
			if err := e.out.done(); err != nil {
				return err
			}
		}
	}
	return nil
}

// inOrder goes through the items of a section. Those in the lists are written
// by typed, unless skip leaves them out; those that are kept as text are written
// as they were. It gives the number of items that it wrote.
func (e *exporter) inOrder(s *orderedSection, typed func(i int) error, skip func(i int) bool) (written int, err error) {
	raws, listed := s.raws, 0
	for item := range s.items {
		isRaw := len(raws) > 0 && raws[0].item == item
		if !isRaw || raws[0].typed {
			listed++
			if skip != nil && skip(listed-1) {
				if isRaw {
					raws = raws[1:]
				}
				continue
			}
		}
		e.out.comma(written)
		written++
		if isRaw {
			raws = raws[1:]
			e.out.raw(e.raws[itemPath(s.kind, item)])
		} else if err := typed(listed - 1); err != nil {
			return written, err
		}
		if err := e.out.done(); err != nil {
			return written, err
		}
	}
	return written, nil
}

// listedRecords writes a section in the order of the source.
func (e *exporter) listedRecords(s *orderedSection, profiles []layout.Ref) error {
	walk := ordinalWalk{rest: s.ordinals, next: map[layout.Ref]int{}}
	ordinals := make([]int, len(profiles))
	for i, n := range profiles {
		ordinals[i] = walk.ordinal(i, n)
	}
	e.out.raw("[")
	_, err := e.inOrder(s, func(i int) error {
		p, err := e.itemsOf(profiles[i])
		if err != nil {
			return err
		}
		e.record(s.kind, p, &p.of[s.kind][ordinals[i]])
		return nil
	}, nil)
	e.out.raw("]")
	return err
}

// monitorRecord writes the one record of monitors.
func (e *exporter) monitorRecord(s *orderedSection) error {
	var t disk.Table
	if e.found[monitors] > 0 {
		var err error
		if t, err = e.s.Table(layout.TableMonitors); err != nil {
			return err
		}
	}
	if e.source == nil {
		s.items = e.found[monitors]
	}
	_, err := e.inOrder(s, func(int) error { return e.monitorRows(t) }, nil)
	return err
}

func (e *exporter) monitorRows(t disk.Table) error {
	e.out.raw(`{"ctx":"0:0","records":[`)
	n := 0
	for i := range t.Rows {
		contended, err := e.s.TypeAt(layout.Ref(t.Cell(0, i)))
		if errors.Is(err, reader.ErrNotFound) {
			continue // counted by survey
		}
		if err != nil {
			return err
		}
		e.pair(n, e.typeIDs[contended.Ordinal()], t.Cell(1, i))
		n++
	}
	e.out.raw("]}")
	return nil
}

// stacks writes the sampled stacks.
func (e *exporter) stacks(s *orderedSection) error {
	var t disk.Table
	var first []int
	if e.found[samples] > 0 {
		var err error
		if t, err = e.s.Table(layout.TableSamples); err != nil {
			return err
		}
		first = stacksOf(t)
	}
	if e.source == nil {
		s.items = len(first)
	}
	_, err := e.inOrder(s, func(i int) error { e.stack(t, first[i]); return nil }, nil)
	return err
}

// stack writes the stack whose rows begin at first.
func (e *exporter) stack(t disk.Table, first int) {
	e.out.raw(`{"ctx":"`)
	for row := first; row < t.Rows && t.Cell(0, row) == t.Cell(0, first); row++ {
		if row > first {
			e.out.raw("<")
		}
		e.out.integer(e.methodIDs[layout.Ref(t.Cell(1, row))])
		e.out.raw(":")
		e.out.integer(int64(t.Cell(2, row)))
	}
	e.out.raw(`","records":[`)
	e.out.integer(e.number(t.Cell(3, first)))
	e.out.raw("]}")
}
