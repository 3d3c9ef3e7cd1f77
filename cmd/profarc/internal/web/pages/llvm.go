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

// An llvmPart is what the page of one of LLVM's functions shows besides its profile points: its
// highest counters, and its source lines if the site has the program.
type llvmPart struct {
	Counters []*counterList
	Says     string // where the lines are from, or why there are none
	Problem  string // why there is no text
	Entered  uint64
	Source   *sourceTable // nil if there is none
	// Allocations are what it allocates, by stack, the most bytes first.
	Allocations     []listing.Allocation
	MoreAllocations int // that are not shown
}

// allocationsOnPage is how many allocations of a function are listed, those with the most bytes.
const allocationsOnPage = 50

// A covered is the coverage mapping of a site's program, or why it has none.
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

// newLLVMPart returns the part of a function of LLVM's, nil in other domains.
func newLLVMPart(r *request, m reader.Method) (*llvmPart, error) {
	if !r.archive().Header().Domain.LLVM() {
		return nil, nil
	}
	p := &llvmPart{Says: "Its counters are shown by block, in the order of the compiler. Lines of source have counts " +
		"if profarc web is started with --binary, naming the instrumented program, and that was built with " +
		"-fcoverage-mapping."}
	for q, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
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
	p.Allocations, err = all.Of(m)
	p.MoreAllocations = max(0, len(p.Allocations)-allocationsOnPage)
	p.Allocations = p.Allocations[:len(p.Allocations)-p.MoreAllocations]
	return err
}

// addLines adds the lines of a function, or says why there are none.
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
	p.Says, p.Problem, p.Entered = "Counts of lines and branches are those of llvm-cov.", r.withoutFileFolders(list.Problem), f.Count
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
		line := sourceLine{ID: r.elementID(lineElement(l.Number)), number: l.Number, count: l.Count, Text: shortenLine(l.Text),
			At: r.linkToElement(fmt.Sprint(l.Number), lineElement(l.Number))}
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

// branchPoint returns a condition in a line of source as the page shows it.
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

// conditionOf returns the text of a condition, or its place if it has more than one line.
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
	Of      int // counters of the profile
	Highest []highCounter
}

type highCounter struct {
	Index int
	Count uint64
	At    *link // the source line where the code begins that it counts; nil if that is not known
}

const countersListed = 10

// countersOf returns the list of a profile, nil if it has fewer than two counters.
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

// linkToLines links the highest counters to the source lines of their function, if the list is of the same code.
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
