package pages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type llvmPart struct {
	Counters []*counterList
	Says     string // origin of the lines, or why there are none; "" if no program is named
	Problem  string // why the text is missing
	Entered  uint64
	Source   *sourceTable // may be nil
	// Allocations are the function's allocations by stack, sorted by bytes, the largest first.
	Allocations     []listing.Allocation
	MoreAllocations int // number of hidden allocations
}

const allocationsOnPage = 50

type covered struct {
	*coverage.Coverage
	reason error
}

func coverageOf(r *request) (*covered, error) {
	return resultOf(r, "the coverage mapping of the program",
		func(_ context.Context, s *Site, _ *Progress) (*covered, error) {
			mapping, err := coverage.Open(s.Binary)
			if err != nil {
				return &covered{reason: err}, nil
			}
			c, err := coverage.New(s.Archive, mapping)
			return &covered{c, err}, nil
		})
}

func (p *methodPage) addFunction() error {
	r := p.request
	heap, err := resultOf(r, "the memory profiles", readAllocations)
	if err != nil {
		return err
	}
	allocations, err := heap.OfFunction(p.method)
	if err != nil {
		return err
	}
	f, reason, err := p.coveredFunction()
	if err != nil {
		return err
	}
	part := &llvmPart{}
	p.LLVM = part
	for _, q := range p.all {
		if c := countersOf(q); c != nil && len(part.Counters) < profilesOnPage {
			part.Counters = append(part.Counters, c)
		}
	}
	part.Allocations = allocations[:min(len(allocations), allocationsOnPage)]
	part.MoreAllocations = len(allocations) - len(part.Allocations)
	if reason != nil {
		part.Says = r.withoutFileFolders(fmt.Sprintf("Its counters are shown by block: %v.", reason))
	} else if f != nil {
		list := coverage.Sources(r.site.SourcePath).List(f.View(), false)
		part.Says = "Counts of lines and branches are those of llvm-cov."
		part.Problem = r.withoutFileFolders(list.Problem)
		part.Entered = f.Count
		part.Source = sourceOf(r, list)
		for _, c := range part.Counters {
			c.linkToLines(r, f)
		}
	}
	p.addHottest(part.Source, countText)
	return p.addAssembly(part.Source)
}

func readAllocations(_ context.Context, s *Site, _ *Progress) (*listing.Allocations, error) {
	return listing.ReadAllocations(s.Archive)
}

// coveredFunction returns the lines of an LLVM function, or the reason why there are none. Damage of the archive is an
// error. Without a program all are nil.
func (p *methodPage) coveredFunction() (f *coverage.Function, reason, err error) {
	switch {
	case p.request.archive().Header().Domain == layout.DomainLLVMIR:
		return nil, coverage.ErrDomain, nil
	case p.request.site.Binary == "":
		return nil, nil, nil
	}
	c, err := coverageOf(p.request)
	if err != nil {
		return nil, nil, err
	}
	if c.reason != nil {
		return nil, c.reason, nil
	}
	f, reason = c.Function(p.method)
	if reason == nil && !slices.ContainsFunc(p.all, func(q reader.Profile) bool { return q.Code() == f.Hash }) {
		reason = coverage.ErrMismatch
	}
	if reason != nil && !errors.Is(reason, coverage.ErrNotMapped) && !errors.Is(reason, coverage.ErrMismatch) {
		return nil, nil, reason
	}
	return f, reason, nil
}

func sourceOf(r *request, list *coverage.Listing) *sourceTable {
	t := &sourceTable{File: r.withoutFolders(list.File), Short: list.Short, More: max(len(list.Lines)-linesOnPage, 0)}
	most := uint64(0)
	for _, l := range list.Lines {
		most = max(most, l.Count)
	}
	for _, l := range list.Lines[:len(list.Lines)-t.More] {
		line := sourceLine{ID: r.elementID(lineElement(l.Number)), number: l.Number, count: l.Count,
			Text: shortenLine(l.Text), At: r.linkToElement(fmt.Sprint(l.Number), lineElement(l.Number))}
		if l.Mapped {
			line.Count, line.Heat = cli.Grouped(l.Count), heatStepClass(listing.Heat(l.Count, most))
		}
		for _, b := range l.Branches {
			line.Branches = append(line.Branches, branchPoint(b, l.Text))
		}
		t.Lines = append(t.Lines, line)
	}
	return t
}

func branchPoint(b coverage.Branch, text string) *point {
	p := &point{Kind: conditionOf(b, text), About: fmt.Sprintf("the condition from %d:%d to %d:%d", b.Line, b.Column,
		b.EndLine, b.EndColumn),
		Count: b.True + b.False}
	if b.Folded {
		p.Notes = []string{"known to the compiler, not counted"}
		return p
	}
	for _, o := range []outcome{{What: link{Text: "true"}, Count: b.True}, {What: link{Text: "false"}, Count: b.False}} {
		o.Share = cli.Share(o.Count, p.Count)
		o.Shared = p.Count > 0
		p.Outcomes = append(p.Outcomes, o)
	}
	return p
}

func conditionOf(b coverage.Branch, text string) string {
	from := int(b.Column) - 1
	to := int(b.EndColumn) - 1
	if b.Line != b.EndLine || from < 0 || from >= to || to > len(text) || to-from > conditionLength {
		return fmt.Sprintf("condition at column %d", b.Column)
	}
	return text[from:to]
}

const conditionLength = 80

type counterList struct {
	Code    string
	Of      int // number of counters in the profile
	Highest []highCounter
}

type highCounter struct {
	Index int
	Count uint64
	At    *link // the source line where the counted code begins, or nil if unknown
}

const countersListed = 10

func countersOf(q reader.Profile) *counterList {
	counts := facts.CountersOf(q)
	if len(counts) < 2 {
		return nil
	}
	return &counterList{display.IDText(q.Code()), len(counts), highestCounters(counts)}
}

func highestCounters(counts []uint64) (list []highCounter) {
	for i, n := range counts {
		if n > 0 {
			list = append(list, highCounter{Index: i, Count: n})
		}
	}
	slices.SortStableFunc(list, func(a, b highCounter) int { return cmp.Compare(b.Count, a.Count) })
	return list[:min(countersListed, len(list))]
}

// linkToLines links the highest counters to the source lines of their function, if the list belongs to the same code.
func (c *counterList) linkToLines(r *request, f *coverage.Function) {
	if c.Code != display.IDText(f.Hash) {
		return
	}
	for i := range c.Highest {
		if line := f.LineOf(c.Highest[i].Index); line > 0 {
			c.Highest[i].At = r.linkToElement(fmt.Sprintf("line %d", line), lineElement(line)).optional()
		}
	}
}
