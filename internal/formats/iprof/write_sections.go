package iprof

import (
	"errors"
	"strconv"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (e *exporter) writeFile() {
	clear(e.items) // cached before ids were assigned
	e.out.writeRaw("{")
	for i := range e.sections {
		s := &e.sections[i]
		e.out.writeComma(i)
		e.writeKey(s)
		switch {
		case s.kind == foreign:
			e.out.writeRaw(e.raws[foreignPointer(s.key)])
		case s.kind == version:
			e.out.writeString([]byte(e.version))
		default:
			e.writeSection(s)
		}
		if e.Err != nil {
			return
		}
	}
	e.out.writeRaw("}")
}

func (e *exporter) writeKey(s *orderedSection) {
	key := s.key
	if s.kind != foreign {
		key = sectionKeys[s.kind]
	}
	e.out.writeString([]byte(key))
	e.out.writeRaw(":")
}

// writeSection writes an array.
func (e *exporter) writeSection(s *orderedSection) {
	e.out.writeRaw("[")
	switch {
	case s.kind == types:
		e.writeTypes(s)
	case s.kind == methods:
		e.writeMethods(s)
	case s.kind == monitors:
		e.writeMonitors(s)
	case s.kind == samples:
		e.writeStacks(s)
	case e.source != nil:
		e.writeListedRecords(s)
	default:
		e.writeAllRecords(s.kind)
	}
	e.out.writeRaw("]")
}

func (e *exporter) writeAllRecords(kind sectionKind) {
	n := 0
	for _, at := range e.profiles {
		p := e.profileItemsAt(at)
		for i := range p.of[kind] {
			e.out.writeComma(n)
			n++
			e.writeRecord(kind, p, &p.of[kind][i])
		}
		if e.Fail(e.out.firstError()) {
			return
		}
	}
}

// writeInOrder writes the items of a section except those for which skip is true, and returns the number of written
// items. n is the number of items without a source order.
func (e *exporter) writeInOrder(s *orderedSection, n int, write func(i int), skip func(i int) bool) (written int) {
	if e.source != nil {
		n = s.listed
	}
	for i := range n {
		if skip != nil && skip(i) {
			continue
		}
		e.out.writeComma(written)
		written++
		write(i)
		if e.Fail(e.out.firstError()) {
			break
		}
	}
	return written
}

// writeListedRecords writes a section in source order.
func (e *exporter) writeListedRecords(s *orderedSection) {
	ordinals := s.recordOrdinals()
	e.writeInOrder(s, len(ordinals), func(i int) {
		if p := e.profileItemsAt(s.profiles[i]); e.Err == nil {
			e.writeRecord(s.kind, p, &p.of[s.kind][ordinals[i]])
		}
	}, nil)
}

// writeMonitors writes the only record of monitors.
func (e *exporter) writeMonitors(s *orderedSection) {
	t, err := e.store.TableOrEmpty(disk.TableMonitors)
	e.Fail(err)
	e.writeInOrder(s, e.found[monitors], func(int) { e.writeMonitorRecord(t) }, nil)
}

func (e *exporter) writeMonitorRecord(t reader.Table) {
	e.out.writeRaw(`{"ctx":"0:0","records":[`)
	n := 0
	for i := range t.Rows {
		contended, err := e.store.TypeAt(layout.Ref(t.Cell(0, i)))
		if errors.Is(err, reader.ErrNotFound) {
			continue // markUsedTypes counted the loss
		}
		if e.Fail(err) {
			return
		}
		e.writeTypeID(n, e.typeIDs[contended.Ordinal()])
		e.out.writeInteger(e.clampCount(ledger.Monitors, t.Cell(1, i)))
		n++
	}
	e.out.writeRaw("]}")
}

func (e *exporter) writeStacks(s *orderedSection) {
	t, err := e.store.TableOrEmpty(disk.TableSamples)
	if first := stacksOf(t); !e.Fail(err) {
		e.writeInOrder(s, len(first), func(i int) { e.writeStack(t, first[i]) }, nil)
	}
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
	e.out.writeInteger(e.clampCount(ledger.Samples, t.Cell(3, first)))
	e.out.writeRaw("]}")
}

type profileItems struct {
	method  string // prefix of the point, as "5:"
	callers string // suffix of the point, as "<3:2<1:3"
	of      [instanceofs + 1][]item
}

// An item is a record: an entry, or the count of the invocation counter.
type item struct {
	point int32
	unit  ledger.Unit // unit of count
	count reader.Counter
	entry reader.Entry
}

// cachedProfiles and cachedText limit the cache of profiles. Records of a profile are mostly near each other. The
// number of callers in the text is otherwise unlimited.
const (
	cachedProfiles = 1 << 14
	cachedText     = 16 << 20
)

// profileItemsAt returns the records of a profile. They have ids only after assignMethodIDs. After an error there are
// none.
func (e *exporter) profileItemsAt(n layout.Ref) *profileItems {
	if p := e.items[n]; p != nil {
		return p
	}
	items := &profileItems{}
	p, err := e.store.ProfileAt(n)
	if e.Fail(err) {
		return items
	}
	if count, ok := p.Invocations(); ok {
		items.of[calls] = append(items.of[calls], item{unit: ledger.Invocations, count: count})
	}
	for entry := range p.Entries() {
		if kind := sectionOf(entry); kind != foreign {
			it := item{point: entry.Point(), unit: kind.unit(), entry: entry}
			if kind == calls {
				it.count, _ = entry.Counter()
			}
			items.of[kind] = append(items.of[kind], it)
		}
	}
	if e.methodIDs != nil {
		e.Fail(e.spellContext(items, p))
	}
	if e.itemsText += len(items.callers); len(e.items) >= cachedProfiles || e.itemsText > cachedText {
		clear(e.items)
		e.itemsText = 0
	}
	e.items[n] = items
	return items
}

// spellContext sets the text of the method and callers of a profile.
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

func (e *exporter) writeRecord(kind sectionKind, p *profileItems, it *item) {
	o := e.out
	o.writeRaw(`{"ctx":"`)
	o.writeRaw(p.method)
	o.writeInteger(int64(it.point))
	o.writeRaw(p.callers)
	o.writeRaw(`","records":[`)
	switch kind {
	case calls:
		e.writeCounter(it.unit, it.count)
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
		e.writeCounter(ledger.BranchCounts, rows.Cell(i, 1))
	}
}

func (e *exporter) writeReceivers(entry reader.Entry) {
	rows, _ := entry.Receivers()
	n := 0
	for row := range rows.All() {
		if int(row.Type.Ordinal()) < len(e.typeIDs) {
			e.writeTypeID(n, e.typeIDs[row.Type.Ordinal()])
			e.writeCounter(ledger.TypeCounts, row.Count)
			n++
		}
	}
}

func (e *exporter) writeTypeID(n int, id int64) {
	e.out.writeComma(n)
	e.out.writeInteger(id)
	e.out.writeRaw(",")
}
