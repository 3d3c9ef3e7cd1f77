package pages

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
)

var overviewView = &view{
	name:  "overview",
	title: "Overview",
	about: "What the archive is, where it comes from, and where its counts are.",
	build: buildOverview,
}

type overview struct {
	File     string // path of the archive; empty in a report
	Origin   *origin
	Counting *unfinished // the pending result that the page waits for, or nil
	Where    *wherePage  // nil if the archive has no counts
	Cutoffs  []string    // number of methods with most of the counts
	Without  uint64      // methods without invocations and counts, except those that never ran
	WhyNone  string      // reason for Without
	Hottest  *hotList    // hottest by the default measure; nil if the archive has no counts
	Odd      []link      // oddities that a reader should know before trusting the counts
	Looking  *unfinished // pending search for more oddities, or nil
	Levels   string      // meaning of the levels, or ""
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
	o := &overview{Origin: newOrigin(r, described)}
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
		list.addTableRow(withLevel(t, cells, t.levelCell(i))...)
	}
	return &hotList{by.About, uint64(len(by.ranked)), list.finishRows(),
		linkToPage(r.inTerms("All methods by ")+by.Name, nameOfMethods, newQuery("methods.sort", "-"+by.Name))}, nil
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

type origin struct {
	*facts.Facts
	About    *table     // numbers of records, settings and properties
	RunFacts []runFacts // facts of the first runs
	Tables   []string   // names and lengths of the tables
}

func newOrigin(r *request, f *facts.Facts) *origin {
	o := &origin{Facts: f}
	o.About = o.aboutTable(r)
	o.addRunFacts()
	for _, t := range f.Tables {
		o.Tables = append(o.Tables, fmt.Sprintf("%s (%s)", t.Name, pluralText(uint64(t.Rows), "row")))
	}
	return o
}

func (o *origin) aboutTable(r *request) *table {
	t := newTable(r, "about", "Records, settings and properties", textColumn("kind", "Kind"),
		textColumn("name", "Name"), textColumn("value", "Value"))
	add := func(kind, name, value string) {
		t.addTableRow(textCell(kind), textCell(name), textCell(value))
	}
	c := o.Counts
	for _, n := range []struct {
		name string
		n    uint64
	}{{"methods", c.Methods}, {"methods listed as not executed", c.Unexecuted}, {"profiles", c.Profiles},
		{"contexts", c.Contexts}, {"types", c.Types}, {"symbols", c.Symbols}, {"entries", c.Entries},
		{"pointers", c.Pointers}} {
		add("Record", capitalized(n.name), cli.Grouped(n.n))
	}
	for _, s := range o.Settings {
		add("Setting", capitalized(s.Name), cli.Grouped(uint64(s.Value)))
	}
	for _, p := range o.Properties {
		add("Property", p.Name, p.Value)
	}
	return t.finishRows()
}

const runsShown = 3

type runFacts struct {
	Title string
	Facts []listing.Fact
}

func (o *origin) addRunFacts() {
	for i := range o.Facts.Runs[:min(len(o.Facts.Runs), runsShown)] {
		run := &o.Facts.Runs[i]
		one := runFacts{Title: "Run"}
		if o.NumRuns > 1 {
			one.Title = fmt.Sprintf("Run %d of %s", i+1, cli.Grouped(uint64(o.NumRuns)))
		}
		for _, f := range [][2]string{{"Program", run.Main}, {"VM or compiler", strings.TrimSpace(run.VM + " " + run.Vendor)},
			{"Command", run.Command}, {"Options", run.Options}, {"Begun", momentText(run.Begun)},
			{"Dumped", momentText(run.Time)}, {"End", run.Exit}, {"Dump id", run.DumpID}} {
			if f[1] != "" {
				one.Facts = append(one.Facts, listing.Fact{Name: f[0], Value: f[1]})
			}
		}
		o.RunFacts = append(o.RunFacts, one)
	}
}

func momentText(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return at.UTC().Format("2006-01-02 15:04:05 UTC")
}

func (o *origin) Bytes() int { return int(o.Facts.Size) }
