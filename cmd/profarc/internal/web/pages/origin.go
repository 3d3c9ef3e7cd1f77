package pages

import (
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/schema"
)

// An origin describes an archive and the runs that it comes from.
type origin struct {
	*facts.Facts
	Age      string     // time since the dump; empty if unknown, and in reports
	About    *table     // numbers of records, settings and properties
	RunFacts []runFacts // facts of the first runs
	Tables   []link     // tables with all runs, dumps and class paths
}

func newOrigin(r *request, f *facts.Facts) *origin {
	o := &origin{Facts: f, Age: r.ageText(r.archive().Header().Time())}
	o.About = o.aboutTable(r)
	o.addRunFacts()
	for _, t := range f.Tables {
		l := rowsLink(schema.TableKind(t.Kind))
		l.Text = fmt.Sprintf("%s (%s)", l.Text, pluralText(uint64(t.Rows), "row"))
		o.Tables = append(o.Tables, l)
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

// runsShown is the number of runs with facts on the page. Their command lines can be long.
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

// Bytes returns the size of the file.
func (o *origin) Bytes() int { return int(o.Facts.Size) }
