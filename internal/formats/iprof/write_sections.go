package iprof

import (
	"errors"
	"strconv"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// writeFile writes the whole file.
func (e *exporter) writeFile() error {
	clear(e.items) // its entries have no ids yet
	e.out.writeRaw("{")
	listed := e.listed[listProfiles]
	for i := range e.sections {
		s := &e.sections[i]
		e.out.writeComma(i)
		e.writeKey(s)
		var err error
		switch {
		case s.kind == foreign:
			e.out.writeRaw(e.raws[keyPath(s.key)])
		case s.kind == version:
			e.out.writeString([]byte(e.version))
		case s.kind.inProfiles() && e.source != nil:
			err = e.writeListedRecords(s, e.recordsOf(s, listed))
		default:
			err = e.writeSection(s)
		}
		if err != nil {
			return err
		}
	}
	e.out.writeRaw("}")
	return nil
}

// recordsOf returns the profiles of the records of a section.
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

func (e *exporter) writeKey(s *orderedSection) {
	key := s.key
	if s.kind != foreign {
		key = sectionKeys[s.kind]
	}
	e.out.writeString([]byte(key))
	e.out.writeRaw(":")
}

// writeSection writes a section that is an array but does not use the list of profiles.
func (e *exporter) writeSection(s *orderedSection) error {
	e.out.writeRaw("[")
	var err error
	switch s.kind {
	case types:
		err = e.writeTypes(s)
	case methods:
		err = e.writeMethods(s)
	case monitors:
		err = e.writeMonitors(s)
	case samples:
		err = e.writeStacks(s)
	default:
		err = e.writeAllRecords(s.kind)
	}
	e.out.writeRaw("]")
	return err
}

// writeAllRecords writes a section in the order of the archive.
func (e *exporter) writeAllRecords(kind sectionKind) error {
	n := 0
	for _, at := range e.profiles {
		p, err := e.itemsOf(at)
		if err != nil {
			return err
		}
		for i := range p.of[kind] {
			e.out.writeComma(n)
			n++
			e.writeRecord(kind, p, &p.of[kind][i])
			if err := e.out.flushIfFull(); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeInOrder writes the items of a section, n of them where no source order says how many.
// skip leaves some out. It returns the number of items written.
func (e *exporter) writeInOrder(s *orderedSection, n int, write func(i int) error, skip func(i int) bool) (written int,
	err error) {
	if e.source != nil {
		n = s.listed
	}
	for i := range n {
		if skip != nil && skip(i) {
			continue
		}
		e.out.writeComma(written)
		written++
		if err := write(i); err != nil {
			return written, err
		}
		if err := e.out.flushIfFull(); err != nil {
			return written, err
		}
	}
	return written, nil
}

// writeListedRecords writes a section in the order of the source.
func (e *exporter) writeListedRecords(s *orderedSection, profiles []layout.Ref) error {
	walk := ordinalWalk{rest: s.ordinals, next: map[layout.Ref]int{}}
	ordinals := make([]int, len(profiles))
	for i, n := range profiles {
		ordinals[i] = walk.ordinal(i, n)
	}
	e.out.writeRaw("[")
	_, err := e.writeInOrder(s, len(profiles), func(i int) error {
		p, err := e.itemsOf(profiles[i])
		if err != nil {
			return err
		}
		e.writeRecord(s.kind, p, &p.of[s.kind][ordinals[i]])
		return nil
	}, nil)
	e.out.writeRaw("]")
	return err
}

// writeMonitors writes the one record of monitors.
func (e *exporter) writeMonitors(s *orderedSection) error {
	t, err := e.s.TableOrEmpty(disk.TableMonitors)
	if err != nil {
		return err
	}
	_, err = e.writeInOrder(s, e.found[monitors], func(int) error { return e.writeMonitorRecord(t) }, nil)
	return err
}

func (e *exporter) writeMonitorRecord(t reader.Table) error {
	e.out.writeRaw(`{"ctx":"0:0","records":[`)
	n := 0
	for i := range t.Rows {
		contended, err := e.s.TypeAt(layout.Ref(t.Cell(0, i)))
		if errors.Is(err, reader.ErrNotFound) {
			continue // counted by survey
		}
		if err != nil {
			return err
		}
		e.writePair(n, e.typeIDs[contended.Ordinal()], t.Cell(1, i))
		n++
	}
	e.out.writeRaw("]}")
	return nil
}

// writeStacks writes the sampled stacks.
func (e *exporter) writeStacks(s *orderedSection) error {
	t, err := e.s.TableOrEmpty(disk.TableSamples)
	if err != nil {
		return err
	}
	first := stacksOf(t)
	_, err = e.writeInOrder(s, len(first), func(i int) error { e.writeStack(t, first[i]); return nil }, nil)
	return err
}

// writeStack writes the stack whose rows start at first.
func (e *exporter) writeStack(t reader.Table, first int) {
	e.out.writeRaw(`{"ctx":"`)
	for row := first; row < t.Rows && t.Cell(0, row) == t.Cell(0, first); row++ {
		if row > first {
			e.out.writeRaw("<")
		}
		e.out.writeInteger(e.methodIDs[layout.Ref(t.Cell(1, row))])
		e.out.writeRaw(":")
		e.out.writeInteger(int64(t.Cell(2, row)))
	}
	e.out.writeRaw(`","records":[`)
	e.out.writeInteger(e.clampCount(t.Cell(3, first)))
	e.out.writeRaw("]}")
}

// profileItems are the records of one profile.
type profileItems struct {
	method  string // "5:", before the point
	callers string // "<3:2<1:3"
	of      [instanceofs + 1][]item
}

// An item is a record: an entry, or only a count for the invocation counter.
type item struct {
	point int32
	count reader.Counter
	entry reader.Entry
}

// cachedProfiles and cachedText limit the cache of profiles. The records of a profile are
// mostly near each other. The text names callers, whose number is not limited.
const (
	cachedProfiles = 1 << 14
	cachedText     = 16 << 20
)

// itemsOf returns the records of a profile. Its method has an id only after ids were assigned.
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
		if err := e.spellContext(items, p); err != nil {
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

// spellContext spells the method and the callers of a profile.
func (e *exporter) spellContext(items *profileItems, p reader.Profile) error {
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

// writeRecord writes a record.
func (e *exporter) writeRecord(kind sectionKind, p *profileItems, it *item) {
	o := e.out
	o.writeRaw(`{"ctx":"`)
	o.writeRaw(p.method)
	o.writeInteger(int64(it.point))
	o.writeRaw(p.callers)
	o.writeRaw(`","records":[`)
	switch kind {
	case calls:
		o.writeInteger(e.clampCount(it.count.Load()))
	case conditionals:
		e.writeSuccessors(it.entry)
	default:
		e.writeReceivers(it.entry)
	}
	o.writeRaw("]}")
	e.report.Entries++
}

func (e *exporter) writeSuccessors(entry reader.Entry) {
	rows, _ := entry.Rows()
	for i := range rows.Len() {
		point, index := disk.UnpackSuccessor(rows.Cell(i, 0).Load())
		e.out.writeComma(i)
		e.out.writeInteger(int64(point))
		e.out.writeRaw(",")
		e.out.writeInteger(int64(index))
		e.out.writeRaw(",")
		e.out.writeInteger(e.clampCount(rows.Cell(i, 1).Load()))
	}
}

func (e *exporter) writeReceivers(entry reader.Entry) {
	rows, _ := entry.Receivers()
	n := 0
	for row := range rows.All() {
		if int(row.Type.Ordinal()) < len(e.typeIDs) {
			e.writePair(n, e.typeIDs[row.Type.Ordinal()], row.Count.Load())
			n++
		}
	}
}

// writePair writes a type id and its count.
func (e *exporter) writePair(n int, id int64, count uint64) {
	e.out.writeComma(n)
	e.out.writeInteger(id)
	e.out.writeRaw(",")
	e.out.writeInteger(e.clampCount(count))
}
