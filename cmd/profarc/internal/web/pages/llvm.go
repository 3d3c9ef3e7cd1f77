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
	"github.com/profarc/profarc/reader"
)

// An llvmPart is the part of a method page for an LLVM function. It has the highest counters, and the source lines if
// the site has the program.
type llvmPart struct {
	Counters []*counterList
	Says     string // origin of the lines, or why there are none
	Problem  string // why the text is missing
	Entered  uint64
	Source   *sourceTable // may be nil
	// Allocations are the function's allocations by stack, sorted by bytes, the largest first.
	Allocations     []listing.Allocation
	MoreAllocations int // number of hidden allocations
}

// allocationsOnPage is the number of listed allocations, the largest ones.
const allocationsOnPage = 50

// A covered is the coverage mapping of a site's program, or the reason why there is none.
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

// newLLVMPart returns the part of an LLVM function, or nil in other domains.
func newLLVMPart(r *request, m reader.Method, all []reader.Profile) (*llvmPart, error) {
	if !r.archive().Header().Domain.LLVM() {
		return nil, nil
	}
	p := &llvmPart{Says: "Its counters are shown by block, in the order of the compiler. Lines of source have counts " +
		"if profarc web is started with --binary, naming the instrumented program, and that was built with " +
		"-fcoverage-mapping."}
	for _, q := range all {
		if c := countersOf(q); c != nil && len(p.Counters) < profilesOnPage {
			p.Counters = append(p.Counters, c)
		}
	}
	if err := p.addAllocations(r, m); err != nil {
		return nil, err
	}
	if r.site.Binary == "" {
		return p, nil
	}
	c, err := coverageOf(r)
	if err != nil {
		return nil, err
	}
	return p, p.addLines(r, c, m)
}

func (p *llvmPart) addAllocations(r *request, m reader.Method) error {
	read := func(_ context.Context, s *Site, _ *Progress) (*listing.Allocations, error) {
		return listing.ReadAllocations(s.Archive)
	}
	all, err := resultOf(r, "the memory profiles", read)
	if err != nil {
		return err
	}
	p.Allocations, err = all.OfFunction(m)
	p.MoreAllocations = max(0, len(p.Allocations)-allocationsOnPage)
	p.Allocations = p.Allocations[:len(p.Allocations)-p.MoreAllocations]
	return err
}

// addLines adds the lines of a function, or the reason why there are none.
func (p *llvmPart) addLines(r *request, c *covered, m reader.Method) error {
	var f *coverage.Function
	reason := c.reason
	if reason == nil {
		f, reason = c.Function(m)
		if reason == nil && !hasCodeID(m, f.Hash) {
			reason = coverage.ErrMismatch
		}
	}
	if reason != nil {
		p.Says = r.withoutFileFolders(fmt.Sprintf("Its counters are shown by block: %v.", reason))
		if c.reason == nil && !errors.Is(reason, coverage.ErrNotMapped) && !errors.Is(reason, coverage.ErrMismatch) {
			return reason
		}
		return nil
	}
	list := coverage.Sources(r.site.SourcePath).List(f.View(), false)
	p.Says = "Counts of lines and branches are those of llvm-cov."
	p.Problem = r.withoutFileFolders(list.Problem)
	p.Entered = f.Count
	p.Source = sourceOf(r, list)
	for _, c := range p.Counters {
		c.linkToLines(r, f)
	}
	return nil
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

// branchPoint returns a condition of a source line as a point.
func branchPoint(b coverage.Branch, text string) *point {
	p := &point{Kind: conditionOf(b, text), About: fmt.Sprintf("the condition from %d:%d to %d:%d", b.Line, b.Column,
		b.EndLine, b.EndColumn),
		Count: b.True + b.False}
	if b.Folded {
		p.Notes = []string{"known to the compiler, not counted"}
		return p
	}
	for _, o := range []outcome{{What: link{Text: "true"}, Count: b.True}, {What: link{Text: "false"}, Count: b.False}} {
		o.Share = shareOf(o.Count, p.Count)
		o.Shared = p.Count > 0
		p.Outcomes = append(p.Outcomes, o)
	}
	return p
}

// conditionOf returns the text of a condition, or its position if it spans several lines.
func conditionOf(b coverage.Branch, text string) string {
	from := int(b.Column) - 1
	to := int(b.EndColumn) - 1
	if b.Line != b.EndLine || from < 0 || from >= to || to > len(text) || to-from > conditionLength {
		return fmt.Sprintf("condition at column %d", b.Column)
	}
	return text[from:to]
}

const conditionLength = 80

func hasCodeID(m reader.Method, code uint64) bool {
	for q, err := range m.Profiles() {
		if err == nil && q.Code() == code {
			return true
		}
	}
	return false
}

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

// countersOf returns the counter list of a profile, or nil if it has fewer than two counters.
func countersOf(q reader.Profile) *counterList {
	counts := facts.CountersOf(q)
	if len(counts) < 2 {
		return nil
	}
	return &counterList{display.IDText(q.Code()), len(counts), highestCounters(counts)}
}

func highestCounters(counts []uint64) (list []highCounter) {
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	for _, i := range order[:min(countersListed, len(order))] {
		if counts[i] > 0 {
			list = append(list, highCounter{Index: i, Count: counts[i]})
		}
	}
	return list
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
