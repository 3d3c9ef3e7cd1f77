package show

import (
	"fmt"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const llvmIndent = 1

func (p *profilePrinter) printLLVMProfile(q reader.Profile) {
	p.indent = llvmIndent
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
