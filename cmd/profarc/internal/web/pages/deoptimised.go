package pages

import (
	"context"
	"fmt"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/layout"
)

var deoptimisedView = &view{
	name:  "deoptimised",
	title: "Deoptimisations",
	about: "Why compiled code of methods was left, the most frequent reasons first: which branches, calls and casts " +
		"did what the compiler did not expect. A VM counts at most 255 of each, and does not count what it notes at a " +
		"point alone.",
	offered: func(s *Site) bool { return s.Archive.Header().Domain == layout.DomainHotSpot },
	build:   buildDeoptimised,
}

const reasonsListed = 5000

type deoptimisedPage struct {
	*facts.DeoptimisedReport
	Table *table
}

func buildDeoptimised(r *request) (any, error) {
	found, err := resultOf(r, "why compiled code was left",
		func(ctx context.Context, s *Site, _ *Progress) (*facts.DeoptimisedReport, error) {
			return facts.MostDeoptimised(ctx, s.Archive, analyze.RankOptions{Limit: reasonsListed})
		})
	if err != nil {
		return nil, err
	}
	t := newTable(r, "reasons", "Deoptimisations", textColumn("method", "Method"),
		textColumn("reason", "Reason"), numberColumn("count", "Times"), textColumn("point", "First point"),
		numberColumn("points", "Points"), numberColumn("recompiled", "Recompiled"), textColumn("cure", "What cures it"))
	t.Titled = true
	for i := range found.Reasons {
		t.addTableRow(deoptimisedRow(&found.Reasons[i])...)
	}
	return &deoptimisedPage{found, t.finishRows()}, nil
}

func deoptimisedRow(d *facts.Deoptimised) []cell {
	to := linkToPage(d.Spelled(), nameOfMethod, methodQuery(d.Method))
	times := countCell(d.Count)
	first := textCell("")
	recompiled := uint64(0)
	if d.Count == 0 {
		times.Link.Text = "not counted"
	}
	if len(d.Points) > 0 {
		at := to.atElement(pointElement(d.Points[0].Point))
		at.Text = fmt.Sprintf("%s at bci %d", d.Points[0].Kind, d.Points[0].Point)
		first = linkCell(at)
	}
	for _, p := range d.Points {
		if p.Recompiled {
			recompiled++
		}
	}
	return []cell{linkCell(to), textCell(d.Reason), times, first, countCell(len(d.Points)), countCell(recompiled),
		textCell(d.Cure)}
}
