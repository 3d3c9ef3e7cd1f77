package llvm

import (
	"slices"

	"github.com/profarc/profarc/internal/libstdcxx"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A HotFunction is a function and the highest of its counters.
type HotFunction struct {
	Name     string
	Hash     uint64
	MaxCount uint64
}

// Hottest gives the n functions with the highest counters, the highest first;
// of the context-sensitive profiles or of the others. Of functions whose highest
// counters are equal it names those that llvm-profdata show --topn names, of the
// LLVM that made the profiles, and in its order.
func Hottest(s *reader.Store, n int, contextSensitive bool) (hottest []HotFunction, err error) {
	if err := checkDomain(s); err != nil || n <= 0 {
		return nil, err
	}
	err = s.Mapping().Guard(func() error {
		q := hottestQueue{n: n}
		if err := q.addAll(s, contextSensitive); err != nil {
			return err
		}
		hottest, err = q.functions(s)
		return err
	})
	return hottest, err
}

// A hottestQueue holds at most n functions, those with the highest counters that
// were added. A function with as high a counter as the last that it holds comes
// too late. That is how llvm-profdata chooses them.
type hottestQueue struct {
	n    int
	heap libstdcxx.Heap[hotRecord]
}

// A hotRecord is a record of a function and its highest counter.
type hotRecord struct {
	method    layout.Ref
	place     int // among all, in the order of the file
	hash, max uint64
}

// addAll adds the records of an archive in the order of its indexed file.
func (q *hottestQueue) addAll(s *reader.Store, contextSensitive bool) error {
	w := &indexedWriter{store: s, encoding: encoding{version: shownVersion(s)}}
	p, err := w.plan()
	if err != nil {
		return err
	}
	q.heap.Less = leavesLast(w.encoding.version)
	ir, walk, place := s.Header().Domain == layout.DomainLLVMIR, newRecordWalk(s, nil), 0
	return p.chains.each(func(item int32) error {
		m, err := s.MethodAt(p.items[item].method)
		if err != nil {
			return err
		}
		records, err := walk.of(m)
		if err != nil {
			return err
		}
		p.insertion.sort(p.items[item].place, records)
		for i := range records {
			r := &records[i]
			place++
			if (ir && r.contextSensitive()) == contextSensitive && !p.summaries.normal.skips(r.counts) {
				q.add(hotRecord{m.Ref(), place, r.hash, p.summaries.normal.highest(r.counts)})
			}
		}
		return nil
	})
}

// sinceSortedHottest is the version of the indexed format of the first LLVM
// known, 22, that sorts functions of equal counts by their places in the file.
const sinceSortedHottest = 13

// leavesLast returns the order of the queue of an LLVM: the record with the
// lowest counter leaves it first.
func leavesLast(version int) func(a, b hotRecord) bool {
	if version < sinceSortedHottest {
		return func(a, b hotRecord) bool { return a.max > b.max }
	}
	return func(a, b hotRecord) bool { return a.max > b.max || a.max == b.max && a.place < b.place }
}

// add adds a record if there is room for it, or a record with a lower counter to
// make room.
func (q *hottestQueue) add(r hotRecord) {
	if q.heap.Len() == q.n {
		if q.heap.Top().max >= r.max {
			return
		}
		q.heap.Pop()
	}
	q.heap.Push(r)
}

// functions empties the queue. The highest leave it last.
func (q *hottestQueue) functions(s *reader.Store) (hottest []HotFunction, err error) {
	for q.heap.Len() > 0 {
		r := q.heap.Pop()
		m, err := s.MethodAt(r.method)
		if err != nil {
			return nil, err
		}
		name, err := m.Name()
		if err != nil {
			return nil, err
		}
		hottest = append(hottest, HotFunction{name.String(), r.hash, r.max})
	}
	slices.Reverse(hottest)
	return hottest, nil
}

// shownVersion is the version of the indexed file whose order is shown: that
// which the LLVM writes that made the profiles.
func shownVersion(s *reader.Store) int {
	v := producerVersion(s)
	if v == 0 {
		return WrittenNewest
	}
	return min(max(v, WrittenOldest), WrittenNewest)
}
