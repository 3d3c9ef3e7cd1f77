package iprof

import (
	"strconv"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

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
