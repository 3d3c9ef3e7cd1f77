package llvm

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An indexed file has the order of maps in llvm-profdata, which depends on the order of insertion if keys
// collide. The order table of an archive has the order of insertion if its files were merged as by
// llvm-profdata. Without an order table, names and hashes are inserted in ascending order. Of a single
// indexed file the order table has the order of the file itself.

// The versions of the indexed format whose llvm-profdata changed the order.
const (
	sinceSortedNames = 10 // LLVM 17 sorts functions by name
	sinceMixedHashes = 12 // LLVM 19 changed the hash of a function's hash
)

// An insertion gathers the functions of an archive and returns the order that they have
// in the llvm-profdata of a version of the indexed format.
type insertion struct {
	version int
	firsts  []layout.Ref           // of each function, in the order of their names: its first record
	hashes  []uint32               // of their names, if the version writes them in the order of a map
	several map[int32][]layout.Ref // records of functions that have several, in the order of the table
	laid    bool                   // the order table has the order of an indexed file
	name    []byte
}

func newInsertion(version int) *insertion {
	return &insertion{version: version, several: map[int32][]layout.Ref{}}
}

// addFunction adds the next function.
func (x *insertion) addFunction(name reader.Name, records []record) {
	place := int32(len(x.firsts))
	x.firsts = append(x.firsts, records[0].block)
	if len(records) > 1 {
		x.several[place] = nil
	}
	if x.version < sinceSortedNames {
		x.name = name.AppendTo(x.name[:0])
		x.hashes = append(x.hashes, stringHash(x.name))
	}
}

// order returns the places of the functions, in order of addition, sorted by the order
// of insertion into the table of the file. It returns nil if both orders are the same.
func (x *insertion) order(s *reader.Store) ([]int32, error) {
	if x.version >= sinceSortedNames && len(x.several) == 0 {
		return nil, nil
	}
	came, err := x.firstSeenOrder(s)
	switch {
	case err != nil || x.version >= sinceSortedNames:
		return nil, err
	case x.laid:
		return came, nil
	}
	return sortAsStringMap(came, x.hashes), nil
}

// firstSeenOrder returns the places of the functions in the order in which llvm-profdata
// first saw them, and keeps the order of the records of each.
func (x *insertion) firstSeenOrder(s *reader.Store) (places []int32, err error) {
	var t reader.Table
	if slices.IsSorted(x.firsts) {
		t, err = s.TableOrEmpty(disk.TableOrder)
		if err != nil {
			return nil, err
		}
	}
	ofFile := t.Flags&disk.OrderOfFile != 0
	x.laid = ofFile && x.version < sinceSortedNames
	if ofFile && !x.laid {
		t.Rows = 0 // an older file than the one to be written
	}
	seen := make([]bool, len(x.firsts))
	for row := range t.Rows {
		block := layout.Ref(t.Cell(0, row))
		place := x.placeOf(block)
		if place < 0 {
			continue
		}
		if records, ok := x.several[place]; ok {
			x.several[place] = append(records, block)
		}
		if !seen[place] {
			seen[place] = true
			places = append(places, place)
		}
	}
	for place := range x.firsts {
		if !seen[place] {
			places = append(places, int32(place))
		}
	}
	return places, nil
}

// placeOf returns the place of the function that has a record, or -1 if there is none.
// Records are stored in the order of the names.
func (x *insertion) placeOf(block layout.Ref) int32 {
	i, found := slices.BinarySearch(x.firsts, block)
	if !found {
		i--
	}
	return int32(i)
}

// sortRecords sorts the records of a function into the order of the file.
func (x *insertion) sortRecords(place int32, records []record) {
	if len(records) < 2 {
		return
	}
	came := map[layout.Ref]int{}
	for i, block := range x.several[place] {
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
	if !x.laid {
		sortAsDenseMap(records, x.version)
	}
}

// An indexedPlan has the offsets of all parts of an indexed file, so that the file can
// be written sequentially.
type indexedPlan struct {
	variant   Variant
	items     []plannedItem // functions, in the order in which they are inserted into the table
	hashes    []uint64      // of the items: the ids of their names
	insertion *insertion
	chains    *chainedTable
	summaries summaryBuilders
	facts     runFacts

	payload  int64 // start of the buckets
	end      int64 // end of the buckets
	table    int64
	sections []section // after the table
}

// A plannedItem is one name with all its records.
type plannedItem struct {
	data   int64 // size of the records
	hash   uint64
	method layout.Ref
	name   uint32 // its length
	place  int32  // among the functions of the insertion
	cold   bool   // it is left out
}

// itemHeaderSize is the size of the fields before the name of an item: hash, length of
// the name, size of the records.
const itemHeaderSize = 24

// size returns the size of the item in its bucket.
func (i *plannedItem) size() int64 { return itemHeaderSize + int64(i.name) + i.data }

// planFile makes the plan in one pass over the functions.
func (w *indexedWriter) planFile() (*indexedPlan, error) {
	p := &indexedPlan{insertion: newInsertion(w.encoding.version), summaries: newSummaryBuilders(w.store)}
	n := w.store.Header().Parts[disk.PartMethods].Size / disk.MinMethodSize // at most
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
	if err := p.insert(w.store); err != nil {
		return nil, err
	}
	p.chains = newChainedTable(p.hashes, p.insertion.laid)
	w.layOut(p)
	return p, nil
}

// planItem adds a name and its records to the plan.
func (w *indexedWriter) planItem(p *indexedPlan, m reader.Method, records []record) error {
	name, err := m.Name()
	if err != nil {
		return err
	}
	item := plannedItem{method: m.Ref(), hash: m.ID(), name: uint32(name.Len()), place: int32(len(p.items))}
	p.insertion.addFunction(name, records)
	if w.options.Sparse && allCold(records) {
		w.report.Cold++
		item.cold = true
		p.items = append(p.items, item)
		return nil
	}
	for i := range records {
		r := &records[i]
		item.data += w.encoding.size(r)
		p.summaries.of(r.contextSensitive()).addCounters(r.counts)
		if r.contextSensitive() && w.store.Header().Domain == layout.DomainLLVMIR {
			p.variant |= VariantContextSensitive
		}
		w.countLosses(r)
	}
	p.items = append(p.items, item)
	w.report.Names++
	w.report.Functions += len(records)
	return nil
}

// insert sorts the items and leaves cold ones out.
func (p *indexedPlan) insert(s *reader.Store) error {
	order, err := p.insertion.order(s)
	if err != nil {
		return err
	}
	if order != nil {
		inserted := make([]plannedItem, len(order))
		for i, place := range order {
			inserted[i] = p.items[place]
		}
		p.items = inserted
	}
	p.items = slices.DeleteFunc(p.items, func(item plannedItem) bool { return item.cold })
	p.hashes = make([]uint64, len(p.items))
	for i := range p.items {
		p.hashes[i] = p.items[i].hash
	}
	return nil
}

func allCold(records []record) bool {
	for i := range records {
		if !records[i].cold() {
			return false
		}
	}
	return true
}

// countLosses counts the parts of a record that the version cannot hold.
func (w *indexedWriter) countLosses(r *record) {
	if w.encoding.version < sinceBitmaps && len(r.bitmap) > 0 {
		w.lost.Add(LossBitmaps, 1)
	}
	for kind, sites := range r.sites {
		if kind >= w.encoding.kinds() {
			w.lost.Add(LossVTableSites, len(sites))
			continue
		}
		for _, site := range sites {
			w.lost.Add(LossValues, site.Rows()-writtenValues(site))
		}
	}
}

// layOut assigns offsets to all parts.
func (w *indexedWriter) layOut(p *indexedPlan) {
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
	p.sections = w.sections(p)
}

const (
	bucketHeaderSize = 2
	tableHeaderSize  = 16 // number of buckets, number of items
)

// tableEnd returns the end of the table of bucket offsets.
func (p *indexedPlan) tableEnd() int64 {
	return p.table + tableHeaderSize + 8*int64(len(p.chains.heads))
}

// bucketSize returns the size of a bucket, 0 if it is empty.
func (p *indexedPlan) bucketSize(head int32) int64 {
	if head == noItem {
		return 0
	}
	size := int64(bucketHeaderSize)
	for item := head; item != noItem; item = p.chains.next[item] {
		size += p.items[item].size()
	}
	return size
}
