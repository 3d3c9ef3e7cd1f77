package pages

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/facts"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
)

// An origin is an archive's account of itself: its kind, and the runs it comes from.
type origin struct {
	*facts.Facts
	Age        string     // since the dump; empty if its time is not known, and in reports
	About      *table     // counts of records, settings and properties
	RunFacts   []runFacts // of a few runs
	Runs       *table     // of many runs, nil if there are few
	Dumps      *table     // with their weights; nil if the archive names none
	ClassPaths []*table
}

func newOrigin(r *request, f *facts.Facts) (*origin, error) {
	o := &origin{Facts: f, Age: r.ageText(r.archive().Header().Time())}
	o.About = o.aboutTable(r)
	o.addRuns(r)
	for i, path := range f.ClassPaths {
		o.ClassPaths = append(o.ClassPaths, classPathTable(r, i, path))
	}
	var err error
	o.Dumps, err = dumpTable(r)
	return o, err
}

// aboutTable returns what the header counts, and the settings and properties.
func (o *origin) aboutTable(r *request) *table {
	t := newTable(r, "about", "Records, settings and properties", textColumn("kind", "Kind"),
		textColumn("name", "Name"), textColumn("value", "Value"))
	add := func(kind, name, value string) {
		t.add(textCell(kind), textCell(name), textCell(value))
	}
	c := o.Counts
	for _, n := range []struct {
		name string
		n    uint64
	}{{"methods", c.Methods}, {"methods listed as not executed", c.Unexecuted}, {"profiles", c.Profiles},
		{"contexts", c.Contexts}, {"types", c.Types}, {"symbols", c.Symbols}, {"entries", c.Entries},
		{"pointers", c.Pointers}} {
		add("Record", capital(n.name), cli.Grouped(n.n))
	}
	for _, s := range o.Settings {
		add("Setting", capital(s.Name), cli.Grouped(uint64(s.Value)))
	}
	for _, p := range o.Properties {
		add("Property", p.Name, p.Value)
	}
	return t.fill()
}

// runColumns are the columns of facts about a run.
var runColumns = []column{{Key: "main", Name: "Program"}, {Key: "vm", Name: "VM or compiler"},
	{Key: "command", Name: "Command"}, {Key: "options", Name: "Options"},
	{Key: "begun", Name: "Begun"}, {Key: "time", Name: "Dumped"}, {Key: "exit", Name: "End"},
	{Key: "dump", Name: "Dump id"}}

// runTexts returns the facts about a run, in the order of runColumns.
func runTexts(run *facts.RunFact) []string {
	return []string{run.Main, strings.TrimSpace(run.VM + " " + run.Vendor), run.Command, run.Options,
		momentText(run.Begun), momentText(run.Time), run.Exit, run.DumpID}
}

// fewRuns is the most runs that are not in a table: their texts may be long.
const fewRuns = 3

// A runFacts has the facts about one run.
type runFacts struct {
	Title string
	Facts []fact
}

// addRuns adds the runs of the archive: as a table, if there are many.
func (o *origin) addRuns(r *request) {
	runs := o.Facts.Runs
	if len(runs) <= fewRuns {
		for i := range runs {
			one := runFacts{Title: "Run"}
			if len(runs) > 1 {
				one.Title = fmt.Sprintf("Run %d", i+1)
			}
			for k, text := range runTexts(&runs[i]) {
				if text != "" {
					one.Facts = append(one.Facts, fact{runColumns[k].Name, text})
				}
			}
			o.RunFacts = append(o.RunFacts, one)
		}
		return
	}
	caption := "Runs"
	if more := o.NumRuns - len(runs); more > 0 {
		caption = fmt.Sprintf("The first %s of %s runs", cli.Grouped(uint64(len(runs))), cli.Grouped(uint64(o.NumRuns)))
	}
	o.Runs = newTable(r, "runs", caption, runColumns...)
	for i := range runs {
		var cells []cell
		for _, text := range runTexts(&runs[i]) {
			cells = append(cells, textCell(text))
		}
		o.Runs.add(cells...)
	}
	o.Runs.fill()
}

// classPathTable returns the elements of a class path.
func classPathTable(r *request, i int, path []facts.ClassPathFact) *table {
	caption := "Class path"
	if i > 0 {
		caption = fmt.Sprintf("Class path %d", i+1)
	}
	t := newTable(r, fmt.Sprintf("classpath%d", i), caption, number("position", "position"), textColumn("path", "Path"),
		textColumn("kind", "Kind"), number("size", "size").in("bytes"), textColumn("sum", "Sum of the content"))
	for k, e := range path {
		t.add(countCell(k+1), textCell(e.Path), textCell(e.Kind), countCell(e.Size), textCell(e.Sum))
	}
	return t.fill()
}

// dumpTable returns the dumps that were merged, with their weights; nil if the archive does not say.
func dumpTable(r *request) (*table, error) {
	dumps, err := r.archive().TableOrEmpty(disk.TableDumps)
	if err != nil || dumps.Rows == 0 || dumps.Columns() != 4 {
		return nil, err
	}
	t := newTable(r, "dumps", "Dumps that were merged", textColumn("dump", "Dump id"),
		textColumn("time", "Time"), number("weight", "weight"))
	for i := range min(dumps.Rows, mostDumps) {
		weight := layout.Weight(dumps.Cell(3, i))
		t.add(textCell(dumpID(dumps.Cell(0, i), dumps.Cell(1, i))), textCell(dumpTime(dumps.Cell(2, i))),
			numberCell(weight.String(), float64(weight)))
	}
	t.fill()
	t.Of = max(t.Of, dumps.Rows)
	return t, nil
}

// momentText returns a time of facts as people read it, to the second.
func momentText(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return at.UTC().Format("2006-01-02 15:04:05 UTC")
}

// mostDumps is how many dumps are listed.
const mostDumps = 1000

// dumpID returns an id of a dump in hexadecimal, as facts has it.
func dumpID(low, high uint64) string {
	return hex.EncodeToString(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, low), high))
}

// dumpTime returns a time in nanoseconds, empty if it is not known.
func dumpTime(nanoseconds uint64) string {
	if nanoseconds == 0 {
		return ""
	}
	return time.Unix(0, int64(nanoseconds)).UTC().Format(time.RFC3339)
}

// Bytes returns the size of the file.
func (o *origin) Bytes() int { return int(o.Facts.Size) }
