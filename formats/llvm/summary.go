package llvm

import (
	"math/bits"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// cutoffs are the shares of all counts, in millionths, that a summary has a row
// for.
var cutoffs = [...]uint64{10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000,
	950000, 990000, 999000, 999900, 999990, 999999}

const cutoffScale = 1000000

// ContextSensitive is set in the hash of a function whose counters were
// inserted after inlining: those profiles have a summary of their own.
const ContextSensitive = 1 << 60

// Counts of a function's entry that stand for "hot" and "warm" without a
// number. Such functions are no part of a summary.
const (
	pseudoHot  = ^uint64(0)
	pseudoWarm = pseudoHot - 1
)

// isMark reports whether the first counter of a function is no count.
func isMark(entry uint64) bool { return entry > disk.LLVMMaxCount }

// A Summary is what LLVM's compilers know of all counters of a program before
// they look at a function.
type Summary struct {
	Functions        uint64 // functions with counters, by name and hash
	Blocks           uint64 // counters
	MaxFunctionCount uint64 // of the first counters of functions
	MaxBlockCount    uint64 // of all
	MaxInternalCount uint64 // of all but the first ones
	TotalCount       uint64 // sum of all, modulo 2^64
	Cutoffs          [len(cutoffs)]Cutoff
}

// A Cutoff says which blocks make up a share of all counts.
type Cutoff struct {
	Share    uint64 // in millionths
	MinCount uint64 // of the coldest block that is needed for it
	Blocks   uint64 // as hot as that one or hotter
}

// Percent is the share in percent.
func (c Cutoff) Percent() float64 { return float64(c.Share) * 100 / cutoffScale }

// Summarize sums up an archive of an LLVM domain: the ordinary profiles, and
// the context-sensitive ones, which front ends do not make. Counts are those
// that were trained.
func Summarize(s *reader.Store) (normal, contextSensitive *Summary, err error) {
	if err := checkDomain(s); err != nil {
		return nil, nil, err
	}
	b := newSummaryBuilders(s)
	ir := s.Header().Domain == layout.DomainLLVMIR
	err = s.Mapping().Guard(func() error {
		w := newRecordWalk(s, nil)
		return w.each(func(_ reader.Method, records []record) error {
			for i := range records {
				b.of(ir && records[i].contextSensitive()).add(records[i].counts)
			}
			return nil
		})
	})
	if err != nil {
		return nil, nil, err
	}
	return b.normal.summary(), b.contextSensitive.summary(), nil
}

// summaryBuilders are of the ordinary and of the context-sensitive profiles.
type summaryBuilders struct{ normal, contextSensitive summaryBuilder }

// newSummaryBuilders returns builders that sum up as the LLVM does that made the
// profiles of an archive.
func newSummaryBuilders(s *reader.Store) (b summaryBuilders) {
	b.normal.old = !disk.LLVMMarks(&s.Header().Params)
	b.contextSensitive.old = b.normal.old
	return b
}

func (b *summaryBuilders) of(contextSensitive bool) *summaryBuilder {
	if contextSensitive {
		return &b.contextSensitive
	}
	return &b.normal
}

// A summaryBuilder takes counters in.
type summaryBuilder struct {
	sums   Summary // without cutoffs
	counts histogram
	old    bool // as LLVM 15 and before, which knew no marks
}

// add takes the counters of one function, 8 bytes each, at least one.
func (b *summaryBuilder) add(counts []byte) {
	if b.skips(counts) {
		return
	}
	s, entry := &b.sums, le.Uint64(counts)
	s.Functions++
	s.MaxFunctionCount = max(s.MaxFunctionCount, b.count(entry))
	for counts = counts[disk.CellSize:]; len(counts) >= disk.CellSize; counts = counts[disk.CellSize:] {
		s.MaxInternalCount = max(s.MaxInternalCount, b.count(le.Uint64(counts)))
	}
}

// skips reports whether a function has a mark and no counters.
func (b *summaryBuilder) skips(counts []byte) bool { return isMark(le.Uint64(counts)) && !b.old }

// noCount reports whether a counter is no count. LLVM 15 and before did not take
// the highest number for one.
func (b *summaryBuilder) noCount(n uint64) bool { return b.old && n == pseudoHot }

// highest is the highest of a function's counts.
func (b *summaryBuilder) highest(counts []byte) (highest uint64) {
	for ; len(counts) >= disk.CellSize; counts = counts[disk.CellSize:] {
		if n := le.Uint64(counts); !b.noCount(n) {
			highest = max(highest, n)
		}
	}
	return highest
}

// count takes a counter, and returns the count that it is, or 0.
func (b *summaryBuilder) count(n uint64) uint64 {
	if b.noCount(n) {
		return 0
	}
	b.sums.Blocks++
	b.sums.TotalCount += n
	b.counts.add(n)
	return n
}

// summary walks the counts down from the highest until each share is reached.
func (b *summaryBuilder) summary() *Summary {
	s := b.sums
	s.MaxBlockCount = max(s.MaxFunctionCount, s.MaxInternalCount)
	all := b.counts.descending()
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
