package pages

import (
	"context"
	"fmt"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/report"
	"github.com/profarc/profarc/layout"
)

func summarized(r *request) (*facts.Summary, error) {
	return gather(r, "how few methods have most of the weight",
		func(ctx context.Context, s *Site, _ *Progress) (*facts.Summary, error) {
			return facts.Cutoffs(ctx, s.Archive)
		})
}

// markedShares are the shares that the pages name, in percent.
var markedShares = map[float64]bool{50: true, 90: true, 99: true, 99.9: true}

// cutoffTexts says how few methods have most of the weight, in every unit, of stacks in their usual one.
func cutoffTexts(r *request, s *facts.Summary, unit facts.SampleUnit) (list []string) {
	for _, u := range s.Units {
		if u.Methods == 0 || r.archive().Header().Domain == layout.DomainSampled && u.Unit != string(unit) {
			continue // samples of calls, and samples beside their time, say the same in other words
		}
		name := u.Unit
		if h := r.archive().Header(); name == layout.UnitExecutions.String() && !h.Domain.LLVM() &&
			h.Summary.TotalInvocations > 0 {
			name = "weight"
		}
		var parts []string
		for _, row := range u.Cutoffs {
			if markedShares[row.Percent] {
				parts = append(parts, fmt.Sprintf("%g%% in %s", row.Percent, plural(uint64(row.Methods), r.word("method"))))
			}
		}
		list = append(list, "Of the "+report.KindText(name)+" "+strings.Join(parts, "; "))
	}
	return list
}
