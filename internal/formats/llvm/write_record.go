package llvm

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An encoding encodes records for a version of the indexed format:
//
//	u64 FuncHash, u64 number of counters, counters
//	from version 11: u64 number of bitmap bytes, u64 for each of them
//	values: u32 size, u32 number of kinds with sites, for each of them
//	   u32 kind, u32 number of sites, u8 number of values of each site,
//	   zeros up to a multiple of 8, { u64 value, u64 count }
type encoding struct {
	version int
	values  []siteValue // buffer for the values of one site
}

func (e *encoding) valueKinds() int {
	if e.version < sinceVTables {
		return int(layout.SubVTable)
	}
	return valueKindsKnown
}

func (e *encoding) recordSize(r *record) int64 {
	n := 16 + int64(len(r.counts)) + e.valueBlockSize(r)
	if e.version >= sinceBitmaps {
		n += 8 + 8*int64(len(r.bitmap))
	}
	return n
}

func (e *encoding) valueBlockSize(r *record) int64 {
	n := int64(valueBlockHeader)
	for _, sites := range r.sites[:e.valueKinds()] {
		if len(sites) == 0 {
			continue
		}
		n += valueKindHeader + disk.AlignUp(int64(len(sites)), 8)
		for _, site := range sites {
			n += valueSize * int64(writtenValues(site))
		}
	}
	return n
}

func (e *encoding) appendRecord(b []byte, r *record) []byte {
	b = appendWords(b, r.hash, uint64(len(r.counts)/disk.CellSize))
	b = append(b, r.counts...)
	if e.version >= sinceBitmaps {
		b = le.AppendUint64(b, uint64(len(r.bitmap)))
		for _, v := range r.bitmap {
			b = le.AppendUint64(b, uint64(v))
		}
	}
	return e.appendValueBlock(b, r)
}

func (e *encoding) appendValueBlock(b []byte, r *record) []byte {
	b = le.AppendUint32(b, uint32(e.valueBlockSize(r)))
	b = le.AppendUint32(b, uint32(r.kindsWithSites(e.valueKinds())))
	for kind, sites := range r.sites[:e.valueKinds()] {
		if len(sites) > 0 {
			b = e.appendValueKind(b, kind, sites)
		}
	}
	return b
}

func (e *encoding) appendValueKind(b []byte, kind int, sites []disk.Entry) []byte {
	b = le.AppendUint32(b, uint32(kind))
	b = le.AppendUint32(b, uint32(len(sites)))
	for _, site := range sites {
		b = append(b, byte(writtenValues(site)))
	}
	b = append(b, make([]byte, paddingAfter(uint64(len(sites))))...)
	for _, site := range sites {
		e.values = appendSiteValues(e.values[:0], site)
		for _, v := range e.values {
			b = appendWords(b, v.value, v.count)
		}
	}
	return b
}

var le = binary.LittleEndian

// A record is a view of one profile in LLVM's terms.
type record struct {
	hash   uint64
	block  layout.Ref                    // reference of the profile
	counts []byte                        // one or more counters of 8 bytes
	sites  [valueKindsKnown][]disk.Entry // ValueSite entries, by kind
	bitmap []byte
}

func (r *record) contextSensitive() bool { return r.hash&ContextSensitive != 0 }

// kindsWithSites returns how many of the first kinds have sites.
func (r *record) kindsWithSites(kinds int) (n int) {
	for _, sites := range r.sites[:kinds] {
		if len(sites) > 0 {
			n++
		}
	}
	return n
}

// addTotals adds the counts of a record, of the first kinds of values and the most frequent values of each site.
func (r *record) addTotals(t ledger.Totals, kinds, most int) {
	t.Add(ledger.BlockCounts, ledger.TotalOfCounters(r.counts))
	for _, sites := range r.sites[:kinds] {
		for _, site := range sites {
			t.Add(ledger.ValueCounts, totalOfValues(site, min(site.Rows(), most)))
		}
	}
}

func recordTotals(records []record) ledger.Totals {
	totals := ledger.Totals{}
	for i := range records {
		records[i].addTotals(totals, valueKindsKnown, math.MaxInt)
	}
	return totals
}

// totalOfValues returns the total of the n most frequent values of a site.
func totalOfValues(site disk.Entry, n int) (sum uint64) {
	if n == site.Rows() {
		for i := range n {
			sum += site.Cell(2*i + 1)
		}
		return sum
	}
	for _, v := range appendSiteValues(nil, site)[:n] {
		sum += v.count
	}
	return sum
}

func loseTotals(lost *codec.Losses, what codec.LossKind, count int, totals ledger.Totals, name string) {
	parse.AddLoss(lost, codec.Loss{What: what, Count: count, First: []string{name}}, totals)
}

// loseValues counts the values of a site beyond the most frequent ones as lost.
func loseValues(lost *codec.Losses, site disk.Entry, name reader.Name) {
	if n := site.Rows() - maxSiteValues; n > 0 {
		left := totalOfValues(site, site.Rows()) - totalOfValues(site, maxSiteValues)
		loseTotals(lost, LossValues, n, ledger.Totals{ledger.ValueCounts: left}, name.String())
	}
}

// loseUnexecuted counts the values of functions that are left out because their counters are 0.
func loseUnexecuted(lost *codec.Losses, records []record, name string) {
	if totals := recordTotals(records); len(totals) > 0 {
		loseTotals(lost, LossSparse, len(records), totals, name)
	}
}

func isAllZero(b []byte) bool { return !slices.ContainsFunc(b, func(v byte) bool { return v != 0 }) }

type recordWalk struct {
	store   *reader.Store
	shape   disk.Shape
	lost    *codec.Losses // nil disables counting
	records []record
}

func newRecordWalk(s *reader.Store, lost *codec.Losses) *recordWalk {
	return &recordWalk{store: s, shape: (*mapped.Mapping)(s.Mapping()).Shape(), lost: lost}
}

// eachFunction calls yield for all functions with records, in name order. The records are valid until yield returns.
func (w *recordWalk) eachFunction(yield func(m reader.Method, records []record) error) (err error) {
	for m := range poll.Values(w.store.Methods(), &err) {
		records, failed := w.recordsOf(m)
		if failed != nil {
			return failed
		}
		if len(records) == 0 {
			if name, err := m.Name(); err == nil {
				w.lost.AddLoss(codec.Loss{What: LossNoRecord, Count: 1, First: []string{name.String()}})
			}
			continue
		}
		err = yield(m, records)
	}
	return err
}

// recordsOf returns the records of a function in hash order. They are valid until the next call.
func (w *recordWalk) recordsOf(m reader.Method) (_ []record, err error) {
	w.records = w.records[:0]
	for p := range poll.Values(m.Profiles(), &err) {
		if _, inContext, err := p.Context(); err != nil {
			return nil, err
		} else if inContext {
			w.loseProfile(LossContext, m, p)
			continue
		}
		w.addRecord(m, p)
	}
	return w.records, err
}

func (w *recordWalk) counter() ledger.Counter {
	return ledger.Counter{Domain: w.store.Header().Domain, Shape: w.shape}
}

func (w *recordWalk) loseProfile(what codec.LossKind, m reader.Method, p reader.Profile) {
	if w.lost != nil {
		w.loseCounted(what, m, parse.TotalsOfBlock(w.counter(), p.Bytes()))
	}
}

func (w *recordWalk) loseCounted(what codec.LossKind, m reader.Method, totals ledger.Totals) {
	if name, err := m.Name(); err == nil {
		loseTotals(w.lost, what, 1, totals, name.String())
	}
}

// addRecord appends the record of a profile with counters. It reuses the slices of an earlier record.
func (w *recordWalk) addRecord(m reader.Method, p reader.Profile) {
	n := len(w.records)
	if n < cap(w.records) {
		w.records = w.records[:n+1]
	} else {
		w.records = append(w.records, record{})
	}
	r := &w.records[n]
	r.hash, r.block, r.counts, r.bitmap = p.Code(), p.Ref(), nil, nil
	for kind := range r.sites {
		r.sites[kind] = r.sites[kind][:0]
	}
	others := w.collectEntries(r, disk.Block(p.Bytes()).Section(disk.SectionData))
	switch {
	case len(r.counts) == 0:
		w.loseProfile(LossNoCounters, m, p)
		w.lost.Add(LossEntry, len(others)) // LossNoCounters has their counts
		w.records = w.records[:n]
	case w.lost != nil:
		for _, e := range others {
			w.loseCounted(LossEntry, m, parse.TotalsOfEntry(w.counter(), e))
		}
	}
}

// collectEntries adds the entries of a profile to the record, and returns those that LLVM cannot hold. The block was
// verified when it was fetched.
func (w *recordWalk) collectEntries(r *record, data []byte) (others []disk.Entry) {
	for len(data) > 0 {
		e, rest, err := w.shape.NextEntry(data)
		if err != nil {
			break
		}
		if !r.addEntry(e) {
			others = append(others, e)
		}
		data = rest
	}
	return others
}

// addEntry adds an entry and reports whether LLVM can hold it. It rejects second arrays and sites without their
// predecessor.
func (r *record) addEntry(e disk.Entry) bool {
	kind := e.Sub()
	switch {
	case e.Tag() == layout.TagCounters && e.Point() == 0 && r.counts == nil:
		r.counts = e[disk.WideHeaderSize:]
	case e.Tag() == layout.TagBitmap && e.Point() == 0 && r.bitmap == nil:
		r.bitmap = e[disk.WideHeaderSize : disk.WideHeaderSize+e.Rows()]
	case e.Tag() == layout.TagValueSite && kind < valueKindsKnown && int(e.Point()) == len(r.sites[kind]):
		r.sites[kind] = append(r.sites[kind], e)
	default:
		return false
	}
	return true
}

// maxSiteValues is the maximum number of values per site. LLVM writes the number as one byte.
const maxSiteValues = 255

type siteValue struct{ value, count uint64 }

// appendSiteValues appends the values of a site in LLVM's order, most frequent first. Equal counts keep the order of
// the archive.
func appendSiteValues(values []siteValue, site disk.Entry) []siteValue {
	first := len(values)
	for i := range site.Rows() {
		values = append(values, siteValue{site.Cell(2 * i), site.Cell(2*i + 1)})
	}
	of := values[first:]
	byCount := func(a, b siteValue) int { return cmp.Compare(b.count, a.count) }
	if !slices.IsSortedFunc(of, byCount) {
		slices.SortStableFunc(of, byCount)
	}
	return values[:first+min(len(of), maxSiteValues)]
}

func writtenValues(site disk.Entry) int { return min(site.Rows(), maxSiteValues) }
