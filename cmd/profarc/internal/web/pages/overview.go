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
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

var overviewView = &view{
	name:  "overview",
	title: "Overview",
	about: "What the archive is, where it comes from, and where its counts are.",
	build: buildOverview,
}

// An overview is what the overview shows. It has no more than its origin while the archive is still being counted.
type overview struct {
	File     string // with its folder; empty in a report
	Origin   *origin
	Counting *unfinished // what the page waits for; nil if it is complete
	Where    *wherePage  // nil if the archive counts nothing
	Cutoffs  []string    // how few methods make up most of it
	Without  uint64      // methods without invocations and counts, beside those that never ran
	WhyNone  string      // what that means
	Hottest  *hotList    // by the usual measure; nil if the archive counts nothing
	Odd      []link      // what a reader should know before trusting the counts
	Looking  *unfinished // what else may be odd; nil if all is known
	Levels   string      // what their levels mean, empty if they have none
}

type hotList struct {
	About   string
	Of      uint64 // methods with any
	Methods *table
	All     link
}

const hotListRows = 5

func buildOverview(r *request) (any, error) {
	described, err := facts.Describe(r.archive(), 0)
	if err != nil {
		return nil, err
	}
	o := &overview{Origin: newOrigin(r, described)}
	if !r.inReport {
		o.File = r.archive().Mapping().Name()
	}
	if err := o.addCounts(r); !errors.As(err, &o.Counting) {
		return o, err
	}
	return o, nil
}

// addCounts adds what needs a walk over all methods.
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
		o.Without = summary.Without - min(o.Origin.Counts.Unexecuted, summary.Without)
	}
	o.Levels = t.LevelsAbout()
	if err := o.addOddities(r); err != nil {
		return err
	}
	if len(t.measures) == 0 {
		return nil
	}
	o.Hottest, err = t.buildHotList(r, t.measures[0])
	return err
}

// addOddities says what is polluted, unchecked or without counts. Nothing waits for it but a report.
func (o *overview) addOddities(r *request) error {
	now := *r
	now.patience = min(r.patience, 0)
	add := func(view, format string, n uint64) {
		if n > 0 {
			o.Odd = append(o.Odd, linkToPage(fmt.Sprintf(r.inTerms(format), cli.Grouped(n)), view, query{}))
		}
	}
	if !r.inReport {
		_, _ = methodNamesOf(&now) // for the first search
	}
	add("", "%s methods never ran: the profile lists them as not executed", o.Origin.Counts.Unexecuted)
	add("", "%s methods without any count: "+o.WhyNone, o.Without)
	if pollutionView.offered(r.site) {
		found, err := pollutionOf(&now)
		if err == nil {
			add(nameOfPollution, "%s polluted sites", uint64(found.Of))
		} else if !errors.As(err, &o.Looking) {
			return err
		}
	}
	if fitView.offered(r.site) {
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

func (t *tally) buildHotList(r *request, by *measured) (*hotList, error) {
	columns := []column{textColumn("method", "Method"), numberColumn("value", by.Title), numberColumn("share", "Share")}
	list := newTable(r, by.Name, "Hottest by "+by.Name, withLevel(t, columns, levelColumn)...)
	list.Titled = true
	for _, i := range by.ranked[:min(hotListRows, len(by.ranked))] {
		name, err := t.linkToMethod(i)
		if err != nil {
			return nil, err
		}
		cells := []cell{linkCell(name), amountCell(by.values[i], by.Noun), shareCell(by.shareOfMethod(i))}
		list.addRow(withLevel(t, cells, t.levelCell(i))...)
	}
	return &hotList{by.About, uint64(len(by.ranked)), list.finishRows(),
		linkToPage(r.inTerms("All methods by ")+by.Name, nameOfMethods, newQuery("methods.sort", "-"+by.Name))}, nil
}

// ageText returns how long ago a time is, empty if that is not known. A report has no ages,
// since it is the same whenever it is written.
func (r *request) ageText(of time.Time) string {
	if r.inReport || of.IsZero() {
		return ""
	}
	age := time.Since(of)
	text := "just now"
	if age < 0 {
		return "in the future"
	}
	for _, unit := range []struct {
		time.Duration
		noun string
	}{{time.Minute, "minute"}, {time.Hour, "hour"}, {24 * time.Hour, "day"}} {
		if age >= 2*unit.Duration {
			text = pluralText(uint64(age/unit.Duration), unit.noun) + " ago"
		}
	}
	return text
}

func summaryOf(r *request) (*facts.Summary, error) {
	return resultOf(r, "how few methods have most of the weight",
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
		if h := r.archive().Header(); name == disk.UnitExecutions.String() && !h.Domain.LLVM() &&
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
