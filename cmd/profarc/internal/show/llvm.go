package show

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An llvmShowOptions selects a summary as llvm-profdata show prints it.
type llvmShowOptions struct {
	detailed bool
	topN     uint
	cs       bool
}

func (o *llvmShowOptions) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.detailed, "detailed-summary", false, "LLVM: print the summary with its cutoffs")
	f.UintVar(&o.topN, "topn", 0, "LLVM: print the summary with so many functions of the highest counts")
	f.BoolVar(&o.cs, "showcs", false, "LLVM: let the summary be of the context-sensitive profiles")
}

func (o llvmShowOptions) wantsSummary() bool { return o != llvmShowOptions{} }

type llvmSummary struct {
	ContextSensitive bool         `json:"context_sensitive"`
	Functions        uint64       `json:"functions"`
	Blocks           uint64       `json:"blocks"`
	MaxFunctionCount uint64       `json:"max_function_count"`
	MaxBlockCount    uint64       `json:"max_block_count"`
	MaxInternalCount uint64       `json:"max_internal_block_count"`
	TotalCount       uint64       `json:"total_count"`
	Cutoffs          []llvmCutoff `json:"cutoffs"`
	Hottest          []llvmHot    `json:"hottest"`
}

type llvmCutoff struct {
	Percent  float64 `json:"percent"`
	MinCount uint64  `json:"min_count"`
	Blocks   uint64  `json:"blocks"`
}

type llvmHot struct {
	Function string `json:"function"`
	Hash     string `json:"hash"`
	MaxCount uint64 `json:"max_count"`
}

func showLLVMSummary(a *cli.App, w io.Writer, s *reader.Store, o llvmShowOptions, json bool) error {
	if d := s.Header().Domain; !d.LLVM() {
		return cli.Usagef("--detailed-summary, --topn and --showcs are of LLVM's profiles; this archive is of domain %s: "+
			"see profarc top", d)
	}
	sum, cs, err := llvm.Summarize(s)
	if err != nil {
		return err
	}
	if o.cs {
		sum = cs
	}
	var hottest []llvm.HotFunction
	if o.topN > 0 {
		hottest, err = llvm.Hottest(s, int(o.topN), o.cs)
		if err != nil {
			return err
		}
	}
	if json {
		return a.PrintJSON(newLLVMSummary(sum, hottest, o.cs))
	}
	for i := range hottest {
		hottest[i].Name = escape.Printable(hottest[i].Name)
	}
	return llvm.WriteSummary(w, s, llvm.SummaryText{Summary: sum, Hottest: hottest, TopN: int(o.topN), Detail: o.detailed})
}

func newLLVMSummary(s *llvm.Summary, hottest []llvm.HotFunction, cs bool) llvmSummary {
	r := llvmSummary{cs, s.Functions, s.Blocks, s.MaxFunctionCount, s.MaxBlockCount, s.MaxInternalCount, s.TotalCount,
		[]llvmCutoff{}, []llvmHot{}}
	for _, c := range s.Cutoffs {
		r.Cutoffs = append(r.Cutoffs, llvmCutoff{c.Percent(), c.MinCount, c.Blocks})
	}
	for _, h := range hottest {
		r.Hottest = append(r.Hottest, llvmHot{h.Name, cli.FormatHash(h.Hash), h.MaxCount})
	}
	return r
}

// llvmIndent is the indentation of rows of counters and values, minus three columns.
const llvmIndent = 1

func (p *profilePrinter) printLLVMProfile(q reader.Profile) {
	cs := ""
	if p.s.Header().Domain == layout.DomainLLVMIR && q.Code()&llvm.ContextSensitive != 0 {
		cs = ", context-sensitive"
	}
	fmt.Fprintf(p.w, "  hash %s%s\n", cli.FormatHash(q.Code()), cs)
	listed := p.printSource(q)
	points := p.sectionPoints(q, schema.SectionData)
	for i := range points {
		switch at := &points[i]; {
		case at.Bits != nil:
			fmt.Fprintf(p.w, "  bitmap of MC/DC: %s\n", p.headText(at))
		case at.RowNoun == "counters":
			if !listed {
				p.printLLVMCounters(at)
			}
		case !slices.Contains(valueSites, at.Sub):
			p.printPoint(at)
		}
	}
	for _, kind := range valueSites {
		for i := range points {
			if at := &points[i]; at.Sub == kind {
				fmt.Fprintf(p.w, "  %s, site %d: %d values\n", at.SubWords, at.Point, len(at.Outcomes))
				p.printRows(at)
			}
		}
	}
}

// valueSites lists the kinds of value sites in printing order.
var valueSites = []string{"indirect-call", "mem-op-size", "vtable"}

func (p *profilePrinter) printLLVMCounters(at *analyze.Point) {
	highest := uint64(0)
	for _, o := range at.Outcomes {
		highest = max(highest, o.Count)
	}
	fmt.Fprintf(p.w, "  %s, the highest %d\n", p.headText(at), highest)
	p.printRows(at)
}

func (p *profilePrinter) printAllocations(m reader.Method) {
	if p.err != nil || !p.s.Header().Domain.LLVM() {
		return
	}
	if p.allocations == nil {
		p.allocations, p.err = listing.ReadAllocations(p.s)
	}
	if p.err != nil {
		return
	}
	all, err := p.allocations.OfFunction(m)
	p.err = err
	for _, a := range all {
		fmt.Fprintf(p.w, "  allocates %s in %s, alive for %s on average, %s\n    %s\n", cli.FormatSize(int64(a.Bytes)),
			cli.Amount(a.Count, "allocation"), cli.FormatDuration(a.Lifetime), a.Type,
			escape.Printable(a.Stack))
	}
}
