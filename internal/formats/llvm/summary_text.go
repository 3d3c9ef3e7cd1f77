package llvm

import (
	"bufio"
	"io"
	"strconv"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A SummaryText is what llvm-profdata show prints of a profile as a whole.
type SummaryText struct {
	Summary *Summary
	Hottest []HotFunction // none: without that part
	Detail  bool          // with the number of blocks, their total and the cutoffs
}

// loopEntriesSince is the version of the indexed format whose LLVM, 22, always
// prints whether loop entries are instrumented.
const loopEntriesSince = 13

// WriteSummary prints it as the LLVM that made the profiles of an archive does.
func WriteSummary(out io.Writer, s *reader.Store, t SummaryText) error {
	w := &summaryPrinter{bufio.NewWriter(out)}
	w.level(s)
	w.number("Total functions: ", t.Summary.Functions)
	w.number("Maximum function count: ", t.Summary.MaxFunctionCount)
	w.number("Maximum internal block count: ", t.Summary.MaxInternalCount)
	if len(t.Hottest) > 0 {
		w.hottest(t.Hottest)
	}
	if t.Detail {
		w.number("Total number of blocks: ", t.Summary.Blocks)
		w.number("Total count: ", t.Summary.TotalCount)
		w.cutoffs(t.Summary)
	}
	return w.Flush()
}

type summaryPrinter struct{ *bufio.Writer }

func (w summaryPrinter) print(parts ...string) {
	for _, p := range parts {
		_, _ = w.WriteString(p) // Flush tells
	}
}

func (w summaryPrinter) number(name string, n uint64) {
	w.print(name, strconv.FormatUint(n, 10), "\n")
}

// level prints what was instrumented.
func (w summaryPrinter) level(s *reader.Store) {
	if s.Header().Domain == layout.DomainLLVMFrontend {
		w.print("Instrumentation level: Front-end\n")
		return
	}
	v := variantOf(s)
	w.print("Instrumentation level: IR  entry_first = ", flag(v&VariantEntryFirst))
	if v&VariantLoopEntries != 0 || producerVersion(s) >= loopEntriesSince {
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

func (w summaryPrinter) hottest(all []HotFunction) {
	w.print("Top ", strconv.Itoa(len(all)), " functions with the largest internal block counts: \n")
	for _, f := range all {
		w.print("  ", f.Name)
		w.number(", max count = ", f.MaxCount)
	}
}

func (w summaryPrinter) cutoffs(s *Summary) {
	w.print("Detailed summary:\n")
	for _, c := range s.Cutoffs {
		w.print(strconv.FormatUint(c.Blocks, 10), " blocks with count >= ", strconv.FormatUint(c.MinCount, 10),
			" account for ", strconv.FormatFloat(c.Percent(), 'g', 6, 64), " percentage of the total counts.\n")
	}
}
