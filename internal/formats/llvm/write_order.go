package llvm

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An indexed file has the order of llvm-profdata's maps, which depends on the order of insertion when keys collide.
// The order table of an archive has the order of insertion if the files were merged like llvm-profdata merges them.
// For a single indexed file it has the order of that file. Without an order table, names and hashes are inserted in
// ascending order.

// Indexed versions in which llvm-profdata changed the order.
const (
	sinceSortedNames = 10 // LLVM 17 sorts functions by name
	sinceMixedHashes = 12 // LLVM 19 changed the map's hash of a FuncHash
)

// An insertionOrder collects the functions of an archive and returns their order in an indexed file of the given
// version, as llvm-profdata writes it.
type insertionOrder struct {
	version        int
	firstBlocks    []layout.Ref           // first record of each function, in name order
	hashes         []uint32               // hashes of names, for versions that write map order
	recordsOf      map[int32][]layout.Ref // records of functions with several, in order-table order
	keepsFileOrder bool                   // the order table has the order of an indexed file
	name           []byte
}

func (x *insertionOrder) addFunction(name reader.Name, records []record) {
	place := int32(len(x.firstBlocks))
	x.firstBlocks = append(x.firstBlocks, records[0].block)
	if len(records) > 1 {
		x.recordsOf[place] = nil
	}
	if x.version < sinceSortedNames {
		x.name = name.AppendTo(x.name[:0])
		x.hashes = append(x.hashes, stringHash(x.name))
	}
}

// functionOrder returns the numbers of the functions in the order of insertion into the file's table. nil stands for
// name order.
func (x *insertionOrder) functionOrder(s *reader.Store) ([]int32, error) {
	if x.version >= sinceSortedNames && len(x.recordsOf) == 0 {
		return nil, nil
	}
	came, err := x.firstSeenOrder(s)
	switch {
	case err != nil || x.version >= sinceSortedNames:
		return nil, err
	case x.keepsFileOrder:
		return came, nil
	}
	return sortAsStringMap(came, x.hashes), nil
}

// firstSeenOrder returns the numbers of the functions in the order in which llvm-profdata first saw them. It also
// collects the order of each function's records.
func (x *insertionOrder) firstSeenOrder(s *reader.Store) (places []int32, err error) {
	var t reader.Table
	if slices.IsSorted(x.firstBlocks) {
		t, err = s.TableOrEmpty(disk.TableOrder)
		if err != nil {
			return nil, err
		}
	}
	ofFile := t.Flags&disk.OrderOfFile != 0
	x.keepsFileOrder = ofFile && x.version < sinceSortedNames
	if ofFile && !x.keepsFileOrder {
		t.Rows = 0 // its order is obsolete in the version to write
	}
	seen := make([]bool, len(x.firstBlocks))
	for row := range t.Rows {
		block := layout.Ref(t.Cell(0, row))
		place := x.functionOfBlock(block)
		if place < 0 {
			continue
		}
		if records, ok := x.recordsOf[place]; ok {
			x.recordsOf[place] = append(records, block)
		}
		if !seen[place] {
			seen[place] = true
			places = append(places, place)
		}
	}
	for place := range x.firstBlocks {
		if !seen[place] {
			places = append(places, int32(place))
		}
	}
	return places, nil
}

// functionOfBlock returns the number of the function that a record belongs to, or -1. firstBlocks must be sorted.
func (x *insertionOrder) functionOfBlock(block layout.Ref) int32 {
	i, found := slices.BinarySearch(x.firstBlocks, block)
	if !found {
		i--
	}
	return int32(i)
}

// sortRecords sorts the records of a function into file order.
func (x *insertionOrder) sortRecords(place int32, records []record) {
	if len(records) < 2 {
		return
	}
	came := map[layout.Ref]int{}
	for i, block := range x.recordsOf[place] {
		came[block] = i
	}
	before := func(r record) int {
		if i, ok := came[r.block]; ok {
			return i
		}
		return len(came)
	}
	slices.SortFunc(records, func(a, b record) int {
		return cmp.Or(cmp.Compare(before(a), before(b)), cmp.Compare(a.hash, b.hash))
	})
	if !x.keepsFileOrder {
		sortAsDenseMap(records, x.version)
	}
}

// An indexedPlan holds the offsets of all parts of an indexed file, for sequential writing.
type indexedPlan struct {
	variant   Variant
	items     []plannedItem // functions in the order of insertion into the table
	hashes    []uint64      // ids of the items' names
	insertion *insertionOrder
	chains    *chainedTable
	summaries summaryBuilders
	facts     runFacts

	payload  int64 // start of the buckets
	end      int64 // end of the buckets
	table    int64
	sections []section // after the table
}

type plannedItem struct {
	data     int64 // size of the records in bytes
	hash     uint64
	method   layout.Ref
	name     uint32 // length of the name in bytes
	position int32  // number of the function in the insertionOrder
	omitted  bool   // left out as unexecuted
}

// itemHeaderSize is the size of an item's fields before the name: hash, length of the name, size of the records.
const itemHeaderSize = 24

func (i *plannedItem) encodedSize() int64 { return itemHeaderSize + int64(i.name) + i.data }

func (w *indexedWriter) planFile() (*indexedPlan, error) {
	p := &indexedPlan{insertion: &insertionOrder{version: w.encoding.version, recordsOf: map[int32][]layout.Ref{}},
		summaries: newSummaryBuilders(w.store)}
	n := w.store.Header().Parts[disk.PartMethods].Size / disk.MinMethodSize // upper bound
	n = min(n, int64(w.store.Header().Counts.Methods))
	p.items = make([]plannedItem, 0, n)
	err := newRecordWalk(w.store, &w.lost).eachFunction(func(m reader.Method, records []record) error {
		return w.planItem(p, m, records)
	})
	if err != nil {
		return nil, err
	}
	p.facts, err = readRunFacts(w.store, w.encoding.version)
	if err != nil {
		return nil, err
	}
	if err := p.sortItems(w.store); err != nil {
		return nil, err
	}
	p.chains = newChainedTable(p.hashes, p.insertion.keepsFileOrder)
	w.assignOffsets(p)
	return p, nil
}

func (w *indexedWriter) planItem(p *indexedPlan, m reader.Method, records []record) error {
	name, err := m.Name()
	if err != nil {
		return err
	}
	item := plannedItem{method: m.Ref(), hash: m.ID(), name: uint32(name.Len()), position: int32(len(p.items))}
	p.insertion.addFunction(name, records)
	if w.options.Sparse && allUnexecuted(records) {
		loseUnexecuted(&w.lost, records, name.String())
		item.omitted = true
		p.items = append(p.items, item)
		return nil
	}
	for i := range records {
		r := &records[i]
		item.data += w.encoding.recordSize(r)
		p.summaries.builderFor(r.contextSensitive()).addCounters(r.counts)
		if r.contextSensitive() && w.store.Header().Domain == layout.DomainLLVMIR {
			p.variant |= VariantContextSensitive
		}
		r.addTotals(w.totals, w.encoding.valueKinds(), maxSiteValues)
		w.countLosses(r, name)
	}
	p.items = append(p.items, item)
	return nil
}

func (p *indexedPlan) sortItems(s *reader.Store) error {
	order, err := p.insertion.functionOrder(s)
	if err != nil {
		return err
	}
	if order != nil {
		p.items = lists.Map(order, func(place int32) plannedItem { return p.items[place] })
	}
	p.items = slices.DeleteFunc(p.items, func(item plannedItem) bool { return item.omitted })
	p.hashes = make([]uint64, len(p.items))
	for i := range p.items {
		p.hashes[i] = p.items[i].hash
	}
	return nil
}

func allUnexecuted(records []record) bool {
	for i := range records {
		if !isAllZero(records[i].counts) || !isAllZero(records[i].bitmap) {
			return false
		}
	}
	return true
}

func (w *indexedWriter) countLosses(r *record, name reader.Name) {
	if w.encoding.version < sinceBitmaps && len(r.bitmap) > 0 {
		w.lost.AddLoss(codec.Loss{What: LossBitmaps, Count: 1, First: []string{name.String()}})
	}
	for kind, sites := range r.sites {
		for _, site := range sites {
			if kind < w.encoding.valueKinds() {
				loseValues(&w.lost, site, name)
				continue
			}
			totals := ledger.Totals{}
			totals.Add(ledger.ValueCounts, totalOfValues(site, site.Rows()))
			loseTotals(&w.lost, LossVTableSites, 1, totals, name.String())
		}
	}
}

func (w *indexedWriter) assignOffsets(p *indexedPlan) {
	p.variant |= writtenVariant(w.store, w.encoding.version, len(p.facts.traces) > 0, p.facts.heap != nil)
	p.payload = 8 * int64(headerWords+len(headerSections(w.encoding.version)))
	p.payload += summarySize
	if p.variant&VariantContextSensitive != 0 {
		p.payload += summarySize
	}
	p.end = p.payload
	for _, head := range p.chains.heads {
		p.end += p.bucketSize(head)
	}
	p.table = disk.AlignUp(p.end, 8)
	p.sections = w.encodeSections(p)
}

const (
	bucketHeaderSize = 2
	tableHeaderSize  = 16 // number of buckets, number of items
)

func (p *indexedPlan) tableEnd() int64 {
	return p.table + tableHeaderSize + 8*int64(len(p.chains.heads))
}

func (p *indexedPlan) bucketSize(head int32) int64 {
	if head == noItem {
		return 0
	}
	size := int64(bucketHeaderSize)
	for item := head; item != noItem; item = p.chains.next[item] {
		size += p.items[item].encodedSize()
	}
	return size
}
