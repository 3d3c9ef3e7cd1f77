package llvm

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/libstdcxx"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// cutoffs are the shares of all counts, in millionths, for which a summary has a row.
var cutoffs = [...]uint64{10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000,
	950000, 990000, 999000, 999900, 999990, 999999}

const cutoffScale = 1000000

// ContextSensitive is the hash bit of functions whose counters were inserted after inlining. Their profiles have a
// separate summary.
const ContextSensitive = 1 << 60

// Entry counts that mark a function as hot or warm, without a count. Summaries ignore such functions.
const (
	pseudoHot  = ^uint64(0)
	pseudoWarm = pseudoHot - 1
)

// isHotnessMark reports whether the first counter of a function is a mark instead of a count.
func isHotnessMark(entry uint64) bool { return entry > disk.LLVMMaxCount }

// A Summary describes the counters of a whole program, for LLVM's compilers.
type Summary struct {
	Functions        uint64 // number of records, each for a name and a FuncHash
	Blocks           uint64 // number of counters
	MaxFunctionCount uint64 // maximum of the functions' first counters
	MaxBlockCount    uint64 // maximum of all counters
	MaxInternalCount uint64 // maximum of all counters except the functions' first ones
	TotalCount       uint64 // total of all counters, modulo 2^64
	Cutoffs          [len(cutoffs)]Cutoff
}

// A Cutoff describes the hottest blocks that make up a share of all counts.
type Cutoff struct {
	Share    uint64 // share in millionths
	MinCount uint64 // count of the coldest block in the set
	Blocks   uint64 // number of blocks in the set
}

// Percent returns the share in percent.
func (c Cutoff) Percent() float64 { return float64(c.Share) * 100 / cutoffScale }

// Summarize returns the summaries of the ordinary profiles and of the context-sensitive ones in an archive of an LLVM
// domain. Front ends make no context-sensitive ones. It uses trained counts.
func Summarize(s *reader.Store) (normal, contextSensitive *Summary, err error) {
	if err := checkDomain(s); err != nil {
		return nil, nil, err
	}
	b := newSummaryBuilders(s)
	ir := s.Header().Domain == layout.DomainLLVMIR
	err = s.Mapping().Guard(func() error {
		w := newRecordWalk(s, nil)
		return w.eachFunction(func(_ reader.Method, records []record) error {
			for i := range records {
				b.builderFor(ir && records[i].contextSensitive()).addCounters(records[i].counts)
			}
			return nil
		})
	})
	if err != nil {
		return nil, nil, err
	}
	return b.normal.buildSummary(), b.contextSensitive.buildSummary(), nil
}

// summaryBuilders has a builder for the ordinary profiles and one for the context-sensitive ones.
type summaryBuilders struct{ normal, contextSensitive summaryBuilder }

// newSummaryBuilders returns builders with the rules of the LLVM that made the profiles.
func newSummaryBuilders(s *reader.Store) (b summaryBuilders) {
	b.normal.old = !disk.LLVMMarks(&s.Header().Params)
	b.contextSensitive.old = b.normal.old
	return b
}

func (b *summaryBuilders) builderFor(contextSensitive bool) *summaryBuilder {
	if contextSensitive {
		return &b.contextSensitive
	}
	return &b.normal
}

type summaryBuilder struct {
	sums   Summary // summary without cutoffs
	counts histogram
	old    bool // rules of LLVM 15 and before, which had no marks
}

// addCounters adds the counters of one function, one or more of 8 bytes.
func (b *summaryBuilder) addCounters(counts []byte) {
	if b.hasMarkOnly(counts) {
		return
	}
	s := &b.sums
	entry := le.Uint64(counts)
	s.Functions++
	s.MaxFunctionCount = max(s.MaxFunctionCount, b.addCount(entry))
	for counts = counts[disk.CellSize:]; len(counts) >= disk.CellSize; counts = counts[disk.CellSize:] {
		s.MaxInternalCount = max(s.MaxInternalCount, b.addCount(le.Uint64(counts)))
	}
}

func (b *summaryBuilder) hasMarkOnly(counts []byte) bool {
	return isHotnessMark(le.Uint64(counts)) && !b.old
}

// ignoresCount reports whether a counter is ignored. LLVM 15 and before ignored the maximum number.
func (b *summaryBuilder) ignoresCount(n uint64) bool { return b.old && n == pseudoHot }

func (b *summaryBuilder) highestCount(counts []byte) (highest uint64) {
	for ; len(counts) >= disk.CellSize; counts = counts[disk.CellSize:] {
		if n := le.Uint64(counts); !b.ignoresCount(n) {
			highest = max(highest, n)
		}
	}
	return highest
}

// addCount adds a counter and returns it, or 0 if it is ignored.
func (b *summaryBuilder) addCount(n uint64) uint64 {
	if b.ignoresCount(n) {
		return 0
	}
	b.sums.Blocks++
	b.sums.TotalCount += n
	b.counts.addCount(n)
	return n
}

// buildSummary adds counts from the highest down until each share is reached.
func (b *summaryBuilder) buildSummary() *Summary {
	s := b.sums
	s.MaxBlockCount = max(s.MaxFunctionCount, s.MaxInternalCount)
	all := b.counts.descendingCounts()
	var sum, last, blocks uint64
	for i, share := range cutoffs {
		hi, lo := bits.Mul64(s.TotalCount, share)
		want, _ := bits.Div64(hi, lo, cutoffScale)
		for sum < want && len(all) > 0 {
			last = all[0].count
			sum += last * all[0].times
			blocks += all[0].times
			all = all[1:]
		}
		s.Cutoffs[i] = Cutoff{share, last, blocks}
	}
	return &s
}

// A histogram maps counts to their frequencies. Most counts are small, and an array is faster than a map.
type histogram struct {
	small []uint64 // frequency, by count
	large map[uint64]uint64
}

const smallCounts = 1 << 12

type frequency struct{ count, times uint64 }

func (h *histogram) addCount(count uint64) {
	if count >= smallCounts {
		if h.large == nil {
			h.large = map[uint64]uint64{}
		}
		h.large[count]++
		return
	}
	if h.small == nil {
		h.small = make([]uint64, smallCounts)
	}
	h.small[count]++
}

func (h *histogram) descendingCounts() []frequency {
	all := make([]frequency, 0, len(h.large))
	for count, times := range h.large {
		all = append(all, frequency{count, times})
	}
	slices.SortFunc(all, func(a, b frequency) int { return cmp.Compare(b.count, a.count) })
	for count := len(h.small) - 1; count >= 0; count-- {
		if times := h.small[count]; times > 0 {
			all = append(all, frequency{uint64(count), times})
		}
	}
	return all
}

// A HotFunction is a function and the highest of its counters.
type HotFunction struct {
	Name     string
	Hash     uint64
	MaxCount uint64
}

// Hottest returns the n functions with the highest counters, highest first, among the context-sensitive profiles or
// the others. Ties are broken as by llvm-profdata show --topn of the LLVM that made the profiles.
func Hottest(s *reader.Store, n int, contextSensitive bool) (hottest []HotFunction, err error) {
	if err := checkDomain(s); err != nil || n <= 0 {
		return nil, err
	}
	err = s.Mapping().Guard(func() error {
		q := hottestQueue{n: n}
		if err := q.offerRecords(s, contextSensitive); err != nil {
			return err
		}
		hottest, err = q.takeRecords(s)
		return err
	})
	return hottest, err
}

// A hottestQueue keeps the n offered functions with the highest counters. Like llvm-profdata, a full queue rejects a
// function whose counter equals its lowest one.
type hottestQueue struct {
	n    int
	heap libstdcxx.Heap[hotRecord]
}

type hotRecord struct {
	method    layout.Ref
	position  int // rank in the order of the indexed file
	hash, max uint64
}

// offerRecords offers the records of an archive in the order of its indexed file.
func (q *hottestQueue) offerRecords(s *reader.Store, contextSensitive bool) error {
	w := &indexedWriter{store: s, encoding: encoding{version: shownVersion(s)}}
	p, err := w.planFile()
	if err != nil {
		return err
	}
	q.heap.Less = queueOrder(w.encoding.version)
	ir := s.Header().Domain == layout.DomainLLVMIR
	walk := newRecordWalk(s, nil)
	place := 0
	return p.chains.eachItem(func(item int32) error {
		m, err := s.MethodAt(p.items[item].method)
		if err != nil {
			return err
		}
		records, err := walk.recordsOf(m)
		if err != nil {
			return err
		}
		p.insertion.sortRecords(p.items[item].position, records)
		for i := range records {
			r := &records[i]
			place++
			if (ir && r.contextSensitive()) == contextSensitive && !p.summaries.normal.hasMarkOnly(r.counts) {
				q.offerRecord(hotRecord{m.Ref(), place, r.hash, p.summaries.normal.highestCount(r.counts)})
			}
		}
		return nil
	})
}

// sinceSortedHottest is the indexed version of LLVM 22, which first ordered equal counts by position in the file.
const sinceSortedHottest = 13

// queueOrder returns the less function of a release's queue. The record with the lowest counter leaves first.
func queueOrder(version int) func(a, b hotRecord) bool {
	if version < sinceSortedHottest {
		return func(a, b hotRecord) bool { return a.max > b.max }
	}
	return func(a, b hotRecord) bool { return a.max > b.max || a.max == b.max && a.position < b.position }
}

// offerRecord adds a record to a queue that is not full, or replaces a record with a lower counter.
func (q *hottestQueue) offerRecord(r hotRecord) {
	if q.heap.Len() == q.n {
		if q.heap.Top().max >= r.max {
			return
		}
		q.heap.Pop()
	}
	q.heap.Push(r)
}

// takeRecords empties the queue and returns its functions, highest counters first.
func (q *hottestQueue) takeRecords(s *reader.Store) (hottest []HotFunction, err error) {
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

// shownVersion returns the indexed version whose order Hottest follows, from the LLVM that made the profiles.
func shownVersion(s *reader.Store) int {
	v := producerVersion(s)
	if v == 0 {
		return WrittenNewest
	}
	return min(max(v, WrittenOldest), WrittenNewest)
}

// A SummaryText is the part of llvm-profdata show about the whole profile.
type SummaryText struct {
	Summary *Summary
	Hottest []HotFunction
	TopN    int  // requested number of hottest functions; 0 omits them
	Detail  bool // print the number of blocks, their total count and the cutoffs
}

// The output of llvm-profdata depends on its release, identified by the indexed version.
const (
	fewCutoffsUntil = 7  // LLVM 12 to 14 print fewCutoffs
	percentSince    = 13 // LLVM 22 prints the loop-entry flag, shares of blocks, and always totals
)

// fewCutoffs are the shares in millionths that older releases print. Every file has more.
var fewCutoffs = []uint64{800000, 900000, 950000, 990000, 999000, 999900, 999990}

// WriteSummary prints a summary like the llvm-profdata of the LLVM that made the profiles.
func WriteSummary(out io.Writer, s *reader.Store, t SummaryText) error {
	w := &summaryPrinter{bufio.NewWriter(out), producerVersion(s), newestVersion(s)}
	w.printLevel(s)
	w.printFormat("Total functions: %d\nMaximum function count: %d\nMaximum internal block count: %d\n",
		t.Summary.Functions, t.Summary.MaxFunctionCount, t.Summary.MaxInternalCount)
	totals := fmt.Sprintf("Total number of blocks: %d\nTotal count: %d\n", t.Summary.Blocks, t.Summary.TotalCount)
	if w.version >= percentSince {
		w.printFormat("%s", totals)
	}
	if t.TopN > 0 {
		w.printFormat("Top %d functions with the largest internal block counts: \n", t.TopN)
		for _, f := range t.Hottest {
			w.printFormat("  %s, max count = %d\n", f.Name, f.MaxCount)
		}
	}
	if t.Detail && w.version < percentSince {
		w.printFormat("%s", totals)
	}
	if t.Detail {
		w.printCutoffs(t.Summary)
	}
	return w.Flush()
}

type summaryPrinter struct {
	*bufio.Writer
	version int // indexed version; 0 if unknown
	newest  int // newest candidate for version
}

// printFormat formats and prints. Flush returns earlier errors.
func (w *summaryPrinter) printFormat(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *summaryPrinter) printLevel(s *reader.Store) {
	if s.Header().Domain == layout.DomainLLVMFrontend {
		w.printFormat("Instrumentation level: Front-end\n")
		return
	}
	v := variantOf(s)
	w.printFormat("Instrumentation level: IR  entry_first = %d", min(v&VariantEntryFirst, 1))
	if v&VariantLoopEntries != 0 || w.version >= percentSince {
		w.printFormat("  instrument_loop_entries = %d", min(v&VariantLoopEntries, 1))
	}
	w.printFormat("\n")
}

func (w *summaryPrinter) printCutoffs(s *Summary) {
	w.printFormat("Detailed summary:\n")
	for _, c := range s.Cutoffs {
		if w.newest > 0 && w.newest <= fewCutoffsUntil && !slices.Contains(fewCutoffs, c.Share) {
			continue
		}
		ofBlocks := ""
		unit := " percentage"
		if w.version >= percentSince {
			ofBlocks = fmt.Sprintf(" (%.2f%%)", float64(c.Blocks)*100/max(float64(s.Blocks), 1))
			unit = "%"
		}
		w.printFormat("%d blocks%s with count >= %d account for %.6g%s of the total counts.\n", c.Blocks, ofBlocks,
			c.MinCount, c.Percent(), unit)
	}
}
