package llvm

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// cutoffs are the shares of all counts, in millionths, for which a summary has a row.
var cutoffs = [...]uint64{10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000,
	950000, 990000, 999000, 999900, 999990, 999999}

const cutoffScale = 1000000

// ContextSensitive is the hash bit of functions whose counters were inserted after inlining. Their profiles have a
// separate summary.
const ContextSensitive = disk.LLVMContextSensitive

// Entry counts that mark a function as hot or warm, without a count. Summaries ignore such functions.
const (
	pseudoHot  = ^uint64(0)
	pseudoWarm = pseudoHot - 1
)

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
	if isHotnessMark(le.Uint64(counts)) && !b.old {
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

// ignoresCount reports whether a counter is ignored. LLVM 15 and before ignored the maximum number.
func (b *summaryBuilder) ignoresCount(n uint64) bool { return b.old && n == pseudoHot }

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

// SummarizeCounts returns the summary of counts that belong to no functions.
func SummarizeCounts(counts iter.Seq[uint64]) *Summary {
	var b summaryBuilder
	for n := range counts {
		b.sums.MaxInternalCount = max(b.sums.MaxInternalCount, b.addCount(n))
	}
	return b.buildSummary()
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
