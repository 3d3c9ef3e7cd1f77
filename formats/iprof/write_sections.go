package iprof

import (
	"errors"
	"strconv"

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
	var t reader.Table
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

func (e *exporter) monitorRows(t reader.Table) error {
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
	var t reader.Table
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
func (e *exporter) stack(t reader.Table, first int) {
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

// profileItems are the records of one profile.
type profileItems struct {
	method  string // "5:", which stands in front of the point
	callers string // "<3:2<1:3"
	of      [instanceofs + 1][]item
}

// An item is a record: an entry, or for the invocation counter the count alone.
type item struct {
	point int32
	count reader.Counter
	entry reader.Entry
}

// cachedProfiles and cachedText bound the cache of profiles: records of one are
// mostly near one another. Text is that of callers, which can be any number.
const (
	cachedProfiles = 1 << 14
	cachedText     = 16 << 20
)

// itemsOf gives the records of the profile at a place. Its method has an id only
// when ids have been assigned.
func (e *exporter) itemsOf(n layout.Ref) (*profileItems, error) {
	if p := e.items[n]; p != nil {
		return p, nil
	}
	p, err := e.s.ProfileAt(n)
	if err != nil {
		return nil, err
	}
	items := &profileItems{}
	if count, ok := p.Invocations(); ok {
		items.of[calls] = append(items.of[calls], item{count: count})
	}
	for entry := range p.Entries() {
		if kind := sectionOf(entry); kind != foreign {
			it := item{point: entry.Point(), entry: entry}
			if kind == calls {
				it.count, _ = entry.Counter()
			}
			items.of[kind] = append(items.of[kind], it)
		}
	}
	if e.methodIDs != nil {
		if err := e.placeText(items, p); err != nil {
			return nil, err
		}
	}
	if e.itemsText += len(items.callers); len(e.items) >= cachedProfiles || e.itemsText > cachedText {
		clear(e.items)
		e.itemsText = 0
	}
	e.items[n] = items
	return items, nil
}

// placeText spells the method and the callers of a profile.
func (e *exporter) placeText(items *profileItems, p reader.Profile) error {
	m, err := p.Method()
	if err != nil {
		return err
	}
	items.method = strconv.FormatInt(e.methodIDs[m.Ref()], 10) + ":"
	c, ok, err := p.Context()
	if err != nil || !ok {
		return err
	}
	frames, err := c.Frames()
	var b []byte
	for _, f := range frames {
		b = strconv.AppendInt(append(b, '<'), e.methodIDs[f.Caller.Ref()], 10)
		b = strconv.AppendInt(append(b, ':'), int64(f.Point), 10)
	}
	items.callers = string(b)
	return err
}

// record writes a record.
func (e *exporter) record(kind sectionKind, p *profileItems, it *item) {
	o := e.out
	o.raw(`{"ctx":"`)
	o.raw(p.method)
	o.integer(int64(it.point))
	o.raw(p.callers)
	o.raw(`","records":[`)
	switch kind {
	case calls:
		o.integer(e.number(it.count.Load()))
	case conditionals:
		e.successors(it.entry)
	default:
		e.receivers(it.entry)
	}
	o.raw("]}")
	e.report.Entries++
}

func (e *exporter) successors(entry reader.Entry) {
	rows, _ := entry.Rows()
	for i := range rows.Len() {
		point, index := disk.UnpackSuccessor(rows.Cell(i, 0).Load())
		e.out.comma(i)
		e.out.integer(int64(point))
		e.out.raw(",")
		e.out.integer(int64(index))
		e.out.raw(",")
		e.out.integer(e.number(rows.Cell(i, 1).Load()))
	}
}

func (e *exporter) receivers(entry reader.Entry) {
	rows, _ := entry.Receivers()
	n := 0
	for row := range rows.All() {
		if int(row.Type.Ordinal()) < len(e.typeIDs) {
			e.pair(n, e.typeIDs[row.Type.Ordinal()], row.Count.Load())
			n++
		}
	}
}

// pair writes a type id and its count.
func (e *exporter) pair(n int, id int64, count uint64) {
	e.out.comma(n)
	e.out.integer(id)
	e.out.raw(",")
	e.out.integer(e.number(count))
}
