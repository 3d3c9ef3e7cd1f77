package llvm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The output of llvm-profdata depends on its release, identified by the indexed version.
const (
	fewCutoffsUntil = 7  // LLVM 12 to 14 print fewCutoffs
	percentSince    = 13 // LLVM 22 prints the loop-entry flag, shares of blocks, and always totals
)

// fewCutoffs are the shares in millionths that older releases print. Every file has more.
var fewCutoffs = []uint64{800000, 900000, 950000, 990000, 999000, 999900, 999990}

// newestVersion returns the newest candidate for producerVersion.
func newestVersion(s *reader.Store) int {
	return max(producerVersion(s), int(s.Header().Params.LLVMNewest))
}

// summaryText returns the summary that the llvm-profdata of the LLVM that made the profiles prints.
func summaryText(s *reader.Store, sum *Summary, detail bool) []byte {
	var out bytes.Buffer
	w := &summaryPrinter{&out, producerVersion(s), newestVersion(s)}
	w.printLevel(s)
	w.printFormat("Total functions: %d\nMaximum function count: %d\nMaximum internal block count: %d\n",
		sum.Functions, sum.MaxFunctionCount, sum.MaxInternalCount)
	totals := fmt.Sprintf("Total number of blocks: %d\nTotal count: %d\n", sum.Blocks, sum.TotalCount)
	if w.version >= percentSince {
		w.printFormat("%s", totals)
	}
	if detail && w.version < percentSince {
		w.printFormat("%s", totals)
	}
	if detail {
		w.printCutoffs(sum)
	}
	return out.Bytes()
}

type summaryPrinter struct {
	*bytes.Buffer
	version int // indexed version; 0 if unknown
	newest  int // newest candidate for version
}

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
			c.MinCount, float64(c.Share)/1e4, unit)
	}
}

// detailedSummary returns the text of one of the two summaries of an archive, with its cutoffs.
func detailedSummary(t testing.TB, s *reader.Store, contextSensitive bool) []byte {
	t.Helper()
	sum, cs, err := Summarize(s)
	if err != nil {
		t.Fatal(err)
	}
	if contextSensitive {
		sum = cs
	}
	return summaryText(s, sum, true)
}

// Summaries of functions with equal counts and with marks are those that llvm-profdata prints of its own file.
func TestSummariesMatchLLVMTools(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	for release, version := range releases {
		t.Run(release, func(t *testing.T) {
			profdata := tool(t, "llvm-profdata", release)
			for seed := range uint64(6) {
				dir := t.TempDir()
				file := tiedProfile(seed, []int{3, 20, 300}[seed%3])
				save(t, dir, "in.proftext", file)
				run(t, dir, profdata, "merge", "-o", "in.profdata", "in.proftext")
				store := compatStore(t, version, [][]byte{file}, nil)
				want := run(t, dir, profdata, "show", "--detailed-summary", "in.profdata")
				requireSame(t, detailedSummary(t, store, false), want)
				want = run(t, dir, profdata, "show", "--detailed-summary", "--showcs", "in.profdata")
				requireSame(t, detailedSummary(t, store, true), want)
			}
		})
	}
}

// tiedProfile returns a text of n names with few different counts, in no order. Some
// have several records, of both instrumentations, and some have marks.
func tiedProfile(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 3))
	b := bytes.NewBufferString(":csir\n")
	for i := range rng.Perm(n) {
		for range 1 + rng.IntN(3)*rng.IntN(2) {
			fmt.Fprintf(b, "f%d\n%d\n2\n%d\n%d\n", i*i, rng.Uint64()>>2, rng.IntN(3), rng.IntN(2))
		}
		if rng.IntN(20) == 0 {
			fmt.Fprintf(b, "f%d\n%d\n2\n%d\n%d\n", i*i, rng.Uint64()>>2, pseudoHot-rng.Uint64N(3), rng.IntN(2))
		}
	}
	return b.Bytes()
}
