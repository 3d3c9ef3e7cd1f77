package pages

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
)

type overview struct {
	File string // path of the archive; empty in a report
	*facts.Facts
	Counting *unfinished // the pending result that the page waits for, or nil
	Where    *wherePage  // nil if the archive has no counts
	Cutoffs  []string    // number of methods with most of the counts
	Without  uint64      // methods without invocations and counts, except those that never ran
	WhyNone  string      // reason for Without
	Hottest  *hotList    // hottest by the default measure; nil if the archive has no counts
	Odd      []link      // oddities that a reader should know before trusting the counts
	Looking  *unfinished // pending search for more oddities, or nil
}

type hotList struct {
	About   string
	Of      uint64 // number of methods with a value
	Methods *table
	All     link
}

const hotListRows = 5

func buildOverview(r *request) (any, error) {
	described, err := facts.Describe(r.archive(), 0)
	if err != nil {
		return nil, err
	}
	o := &overview{Facts: described}
	if !r.inReport {
		o.File = r.archive().Mapping().Name()
	}
	if account := described.Account; account != nil && !account.IsComplete() {
		o.Odd = append(o.Odd, link{Text: fmt.Sprintf("The profile is incomplete. Inputs: %s. Lost: %s", account.InputsText(),
			account.LostText())})
	}
	if err := o.addCounts(r); !errors.As(err, &o.Counting) {
		return o, err
	}
	return o, nil
}

// addCounts adds the parts that need an iteration over all methods.
func (o *overview) addCounts(r *request) error {
	t, errT := tallyOf(r)
	where, errW := packageIndexOf(r)
	summary, errS := summaryOf(r)
	if err := errors.Join(errT, errW, errS); err != nil {
		return err
	}
	if len(t.measures) > 0 {
		var err error
		o.Where, err = newWherePage(r, t, where)
		if err != nil {
			return err
		}
	}
	unit, err := facts.UnitOfSamples(r.archive())
	if err != nil {
		return err
	}
	o.Cutoffs = cutoffTexts(r, summary, unit)
	if len(summary.Units) > 0 && summary.Methods > 0 {
		o.WhyNone = facts.WithoutText(r.archive().Header().Domain)
		o.Without = summary.Without - min(o.Counts.Unexecuted, summary.Without)
	}
	if err := o.addOddities(r); err != nil {
		return err
	}
	if len(t.measures) > 0 {
		o.Hottest = t.buildHotList(r, t.measures[0])
	}
	return nil
}

// addOddities adds links to polluted, unchecked and uncounted methods. Only a report waits for pending results.
func (o *overview) addOddities(r *request) error {
	now := *r
	now.patience = min(r.patience, 0)
	add := func(view, format string, n uint64) {
		if n > 0 {
			o.Odd = append(o.Odd, linkToPage(fmt.Sprintf(r.inTerms(format), cli.Grouped(n)), view, query{}))
		}
	}
	if !r.inReport {
		_, _ = methodNamesOf(&now) // prepares the first search
	}
	add("", "%s methods never ran: the profile lists them as not executed", o.Counts.Unexecuted)
	add("", "%s methods without any count: "+o.WhyNone, o.Without)
	if hasSites(r.site) {
		found, err := pollutionOf(&now)
		if err == nil {
			add(nameOfPollution, "%s polluted sites", uint64(found.Of))
		} else if !errors.As(err, &o.Looking) {
			return err
		}
	}
	if hasClasses(r.site) {
		found, err := classPathFitOf(&now)
		if err == nil {
			add(nameOfFit, "%s profiles whose fit with the class path is not known", uint64(len(found.unchecked)))
		} else if !errors.As(err, &o.Looking) {
			return err
		}
	} else if r.archive().Header().Domain == layout.DomainHotSpot {
		o.Odd = append(o.Odd, link{Text: "Whether the profiles still fit the program is unchecked: --class-path names it"})
	}
	return nil
}

func (t *tally) buildHotList(r *request, by *measured) *hotList {
	columns := []column{textColumn("method", "Method"), numberColumn("value", by.Title), shareColumn}
	list := newTable(r, by.Name, "Hottest by "+by.Name, withLevel(t, columns, levelColumn)...)
	list.Titled = true
	for _, i := range by.ranked[:min(hotListRows, len(by.ranked))] {
		name, err := t.linkToMethod(i)
		r.noteError(err)
		cells := []cell{linkCell(name), amountCell(by.values[i], by.Noun), by.shareCellOf(i)}
		list.addTableRow(withLevel(t, cells, t.levelCell(i))...)
	}
	return &hotList{by.About, uint64(len(by.ranked)), list.finishRows(),
		linkToPage(r.inTerms("All methods by ")+by.Name, nameOfMethods, newQuery("methods.sort", "-"+by.Name))}
}

func summaryOf(r *request) (*facts.Summary, error) {
	return resultOf(r, "how few methods have most of the weight",
		func(ctx context.Context, s *Site, _ *Progress) (*facts.Summary, error) {
			return facts.Cutoffs(ctx, s.Archive)
		})
}

// markedShares are the displayed cutoffs in percent.
var markedShares = map[float64]bool{50: true, 90: true, 99: true, 99.9: true}

// cutoffTexts describes how few methods have most of the weight, in every unit. Stacks have only their default unit.
func cutoffTexts(r *request, s *facts.Summary, unit facts.SampleUnit) (list []string) {
	for _, u := range s.Units {
		if u.Methods == 0 || r.archive().Header().Domain == layout.DomainSampled && u.Unit != string(unit) {
			continue // calls, and samples in addition to time, repeat the same shares
		}
		name := u.Unit
		if h := r.archive().Header(); name == schema.UnitExecutions.String() && !h.Domain.LLVM() &&
			h.Summary.TotalInvocations > 0 {
			name = "weight"
		}
		var parts []string
		for _, row := range u.Cutoffs {
			if markedShares[row.Percent] {
				parts = append(parts, fmt.Sprintf("%g%% in %s", row.Percent, pluralText(uint64(row.Methods), r.inTerms("method"))))
			}
		}
		list = append(list, "Of the "+report.KindText(name)+" "+strings.Join(parts, "; "))
	}
	return list
}

func momentText(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return at.UTC().Format("2006-01-02 15:04:05 UTC")
}

func (o *overview) Bytes() int { return int(o.Size) }
