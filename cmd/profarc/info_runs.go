package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// runFacts are what info says of the runs that an archive is of.
type runFacts struct {
	Runs       []runFact         `json:"runs"`
	NumRuns    int               `json:"runs_total"` // of which no more than maxRunFacts are listed
	ClassPaths [][]classPathFact `json:"class_paths"`
}

// maxRunFacts bounds the runs that are listed: their texts may be long.
const maxRunFacts = 1000

type runFact struct {
	DumpID    string       `json:"dump_id"`
	Since     string       `json:"since,omitempty"`
	Main      string       `json:"main,omitempty"`
	VM        string       `json:"vm,omitempty"`
	Vendor    string       `json:"vendor,omitempty"`
	Command   string       `json:"command,omitempty"`
	Options   string       `json:"options,omitempty"`
	Selection string       `json:"selection,omitempty"`
	ClassPath *int         `json:"class_path,omitempty"` // index of class_paths
	Process   *processFact `json:"process,omitempty"`
	Begun     string       `json:"begun,omitempty"`
	Time      string       `json:"time,omitempty"`
	Exit      string       `json:"exit"`
}

type processFact struct {
	Boot      string `json:"boot"`
	Namespace uint64 `json:"namespace"`
	PID       uint64 `json:"pid"`
	Start     uint64 `json:"start"`
}

type classPathFact struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Size uint64 `json:"bytes"`
	Sum  string `json:"sum,omitempty"`
}

func gatherRuns(s *reader.Store) (*runFacts, error) {
	runs, err := s.Runs()
	if err != nil {
		return nil, err
	}
	f := &runFacts{Runs: []runFact{}, NumRuns: len(runs), ClassPaths: [][]classPathFact{}}
	known := map[*layout.ClassPathEntry]*int{} // runs share their class paths
	for _, r := range runs[:min(len(runs), maxRunFacts)] {
		fact := runFact{
			DumpID: bytesText(r.DumpID), Since: bytesText(r.Since), Main: r.Main, VM: r.VM, Vendor: r.Vendor, Command: r.Command,
			Options: r.Options, Selection: r.Selection, Begun: utcText(r.Begun), Time: utcText(r.Time), Exit: r.Exit.String(),
		}
		if p := r.Process; p.Known() {
			fact.Process = &processFact{bytesText(p.Boot), p.Namespace, p.PID, p.Start}
		}
		if len(r.ClassPath) > 0 {
			if known[&r.ClassPath[0]] == nil {
				at := len(f.ClassPaths)
				known[&r.ClassPath[0]] = &at
				f.ClassPaths = append(f.ClassPaths, classPathFacts(r.ClassPath))
			}
			fact.ClassPath = known[&r.ClassPath[0]]
		}
		f.Runs = append(f.Runs, fact)
	}
	return f, nil
}

func classPathFacts(entries []layout.ClassPathEntry) []classPathFact {
	facts := make([]classPathFact, len(entries))
	for i, e := range entries {
		facts[i] = classPathFact{e.Path, e.Kind.String(), e.Size, ""}
		if e.Kind == layout.ContentFile || e.Kind == layout.ContentDirectory {
			facts[i].Sum = app.FormatID(e.Sum)
		}
	}
	return facts
}

func utcText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// print says of which run an archive is, or of which runs.
func (f *runFacts) print(a *app.App) {
	if len(f.Runs) == 0 {
		return
	}
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	common := f.common()
	for _, line := range []struct{ name, value string }{
		{"main", common.Main}, {"VM", common.VM}, {"vendor", common.Vendor}, {"command", common.Command}, {"options", common.Options},
		{"selection", common.Selection},
	} {
		if line.value != "" {
			fmt.Fprintf(w, "%s\t%s\n", line.name, escape.Printable(app.Shorten(line.value, maxRunText)))
		}
	}
	if common.ClassPath != nil {
		f.printClassPath(w, f.ClassPaths[*common.ClassPath])
	}
	if len(f.Runs) == 1 {
		fmt.Fprintf(w, "run\t%s\n", common.when())
		w.Flush()
		fmt.Fprintln(a.Out)
		return
	}
	fmt.Fprintf(w, "runs\t%d\n", f.NumRuns)
	for i := range f.Runs[:min(len(f.Runs), maxRunLines)] {
		fmt.Fprintf(w, "\t%s\n", f.Runs[i].line(&common))
	}
	if more := f.NumRuns - maxRunLines; more > 0 {
		fmt.Fprintf(w, "\tand %d more: profarc show --table runs lists all\n", more)
	}
	w.Flush()
	fmt.Fprintln(a.Out)
}

// Limits of what is printed of each: the rest is in the tables.
const (
	maxRunText        = 400
	maxRunLines       = 20
	maxClassPathLines = 20
)

// common is what all runs agree in; the rest is empty.
func (f *runFacts) common() runFact {
	c := f.Runs[0]
	for _, r := range f.Runs[1:] {
		for _, text := range []struct{ all, one *string }{
			{&c.Main, &r.Main}, {&c.VM, &r.VM}, {&c.Vendor, &r.Vendor}, {&c.Command, &r.Command}, {&c.Options, &r.Options}, {&c.Selection, &r.Selection},
		} {
			if *text.all != *text.one {
				*text.all = ""
			}
		}
		if r.ClassPath == nil || c.ClassPath != nil && *r.ClassPath != *c.ClassPath {
			c.ClassPath = nil
		}
	}
	return c
}

// when says which process a run was, when it ran, and how it ended.
func (r *runFact) when() string {
	var parts []string
	if r.Process != nil {
		parts = append(parts, fmt.Sprintf("process %d", r.Process.PID))
	}
	if r.Begun != "" {
		parts = append(parts, "begun "+r.Begun)
	}
	if r.Time != "" {
		parts = append(parts, "dumped "+r.Time)
	}
	if r.Since != "" {
		parts = append(parts, "counted since "+r.Since)
	}
	return strings.Join(append(parts, r.Exit), ", ")
}

// line is a run of several, with what not all have in common.
func (r *runFact) line(common *runFact) string {
	text := r.when()
	if common.Main == "" && r.Main != "" {
		text += ", main " + escape.Printable(app.Shorten(r.Main, maxJVMName))
	}
	if common.Command == "" && r.Command != "" {
		text += ", " + escape.Printable(app.Shorten(r.Command, maxJVMName))
	}
	return text
}

func (f *runFacts) printClassPath(w *tabwriter.Writer, entries []classPathFact) {
	name := "class path"
	for _, e := range entries[:min(len(entries), maxClassPathLines)] {
		what := e.Kind
		if e.Sum != "" {
			what = fmt.Sprintf("%s, %s, sum %s", e.Kind, app.FormatSize(int64(min(e.Size, 1<<62))), e.Sum)
		}
		fmt.Fprintf(w, "%s\t%s (%s)\n", name, escape.Printable(app.Shorten(e.Path, maxRunText)), what)
		name = ""
	}
	if more := len(entries) - maxClassPathLines; more > 0 {
		fmt.Fprintf(w, "\tand %d more: profarc show --table class-path lists all\n", more)
	}
}
