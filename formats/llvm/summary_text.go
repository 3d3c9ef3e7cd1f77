package llvm

import (
	"bufio"
	"io"
	"slices"
	"strconv"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A SummaryText is what llvm-profdata show prints of a profile as a whole.
type SummaryText struct {
	Summary *Summary
	Hottest []HotFunction
	TopN    int  // how many of them were asked for, at least as many; 0: without that part
	Detail  bool // with the number of blocks, their total and the cutoffs
}

// What llvm-profdata prints differs by release, which the version of the
// indexed format tells.
const (
	fewCutoffsUntil = 7  // LLVM 12 to 14: fewCutoffs
	percentSince    = 13 // LLVM 22: whether loop entries are instrumented; the share of blocks; totals without being asked
)

// fewCutoffs are the shares that older releases print, in millionths. They are
// in every file, with others.
var fewCutoffs = []uint64{800000, 900000, 950000, 990000, 999000, 999900, 999990}

// WriteSummary prints it as the LLVM that made the profiles of an archive does.
func WriteSummary(out io.Writer, s *reader.Store, t SummaryText) error {
	w := &summaryPrinter{bufio.NewWriter(out), producerVersion(s), newestVersion(s)}
	w.level(s)
	w.number("Total functions: ", t.Summary.Functions)
	w.number("Maximum function count: ", t.Summary.MaxFunctionCount)
	w.number("Maximum internal block count: ", t.Summary.MaxInternalCount)
	if w.version >= percentSince {
		w.totals(t.Summary)
	}
	if t.TopN > 0 {
		w.hottest(t.TopN, t.Hottest)
	}
	if t.Detail && w.version < percentSince {
		w.totals(t.Summary)
	}
	if t.Detail {
		w.cutoffs(t.Summary)
	}
	return w.Flush()
}

func (w *summaryPrinter) totals(s *Summary) {
	w.number("Total number of blocks: ", s.Blocks)
	w.number("Total count: ", s.TotalCount)
}

type summaryPrinter struct {
	*bufio.Writer
	version int // of the indexed format, 0 if it is not known
	newest  int // the newest that it can be
}

func (w *summaryPrinter) print(parts ...string) {
	for _, p := range parts {
		_, _ = w.WriteString(p) // Flush tells
	}
}

func (w *summaryPrinter) number(name string, n uint64) {
	w.print(name, strconv.FormatUint(n, 10), "\n")
}

// level prints what was instrumented.
func (w *summaryPrinter) level(s *reader.Store) {
	if s.Header().Domain == layout.DomainLLVMFrontend {
		w.print("Instrumentation level: Front-end\n")
		return
	}
	v := variantOf(s)
	w.print("Instrumentation level: IR  entry_first = ", flag(v&VariantEntryFirst))
	if v&VariantLoopEntries != 0 || w.version >= percentSince {
		w.print("  instrument_loop_entries = ", flag(v&VariantLoopEntries))
	}
	w.print("\n")
}

func flag(v Variant) string {
	if v != 0 {
		return "1"
	}
	return "0"
}

func (w *summaryPrinter) hottest(n int, all []HotFunction) {
	w.print("Top ", strconv.Itoa(n), " functions with the largest internal block counts: \n")
	for _, f := range all {
		w.print("  ", f.Name)
		w.number(", max count = ", f.MaxCount)
	}
}

func (w *summaryPrinter) cutoffs(s *Summary) {
	w.print("Detailed summary:\n")
	for _, c := range s.Cutoffs {
		if w.newest > 0 && w.newest <= fewCutoffsUntil && !slices.Contains(fewCutoffs, c.Share) {
			continue
		}
		percent, blocks, of := strconv.FormatFloat(c.Percent(), 'g', 6, 64), "", " percentage"
		if w.version >= percentSince {
			blocks, of = " ("+blockPercent(c.Blocks, s.Blocks)+"%)", "%"
		}
		w.print(strconv.FormatUint(c.Blocks, 10), " blocks", blocks, " with count >= ", strconv.FormatUint(c.MinCount, 10),
			" account for ", percent, of, " of the total counts.\n")
	}
}

func blockPercent(n, of uint64) string {
	if of == 0 {
		return "0.00"
	}
	return strconv.FormatFloat(float64(n)*100/float64(of), 'f', 2, 64)
}
