package facts

import (
	"time"

	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// RunFacts are the runs of an archive.
type RunFacts struct {
	Runs       []RunFact         `json:"runs"`
	NumRuns    int               `json:"runs_total"` // number of all runs; Runs lists at most maxRunFacts
	ClassPaths [][]ClassPathFact `json:"class_paths"`
}

// maxRunFacts is the maximum number of runs to list, since their texts can be long.
const maxRunFacts = 1000

// A RunFact describes one run. Missing texts are empty.
type RunFact struct {
	DumpID    string       `json:"dump_id"`
	Since     string       `json:"since,omitempty"`
	Main      string       `json:"main,omitempty"`
	VM        string       `json:"vm,omitempty"`
	Vendor    string       `json:"vendor,omitempty"`
	Command   string       `json:"command,omitempty"`
	Options   string       `json:"options,omitempty"`
	Selection string       `json:"selection,omitempty"`
	ClassPath *int         `json:"class_path,omitempty"` // index into class_paths
	Process   *ProcessFact `json:"process,omitempty"`
	Begun     string       `json:"begun,omitempty"`
	Time      string       `json:"time,omitempty"`
	Exit      string       `json:"exit"`
}

// A ProcessFact identifies a process across reboots and reused process ids.
type ProcessFact struct {
	Boot      string `json:"boot"`
	Namespace uint64 `json:"namespace"`
	PID       uint64 `json:"pid"`
	Start     uint64 `json:"start"`
}

// A ClassPathFact is an element of a class path, with the size and checksum of a file or directory.
type ClassPathFact struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Size uint64 `json:"bytes"`
	Sum  string `json:"sum,omitempty"`
}

// gatherRuns returns the runs of an archive. Runs with equal class paths share one element of ClassPaths.
func gatherRuns(s *reader.Store) (*RunFacts, error) {
	runs, err := s.Runs()
	if err != nil {
		return nil, err
	}
	f := &RunFacts{Runs: []RunFact{}, NumRuns: len(runs), ClassPaths: [][]ClassPathFact{}}
	known := map[*layout.ClassPathEntry]*int{} // index into ClassPaths, by first entry
	for _, r := range runs[:min(len(runs), maxRunFacts)] {
		fact := RunFact{
			DumpID: bytesText(r.DumpID), Since: bytesText(r.Since), Main: r.Main, VM: r.VM, Vendor: r.Vendor, Command: r.Command,
			Options: r.Options, Selection: r.Selection, Begun: formatUTC(r.Begun), Time: formatUTC(r.Time),
			Exit: r.Exit.String(),
		}
		if p := r.Process; p.Known() {
			fact.Process = &ProcessFact{bytesText(p.Boot), p.Namespace, p.PID, p.Start}
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

func classPathFacts(entries []layout.ClassPathEntry) []ClassPathFact {
	facts := make([]ClassPathFact, len(entries))
	for i, e := range entries {
		facts[i] = ClassPathFact{e.Path, e.Kind.String(), e.Size, ""}
		if e.Kind == schema.ContentFile || e.Kind == schema.ContentDirectory {
			facts[i].Sum = hexID(e.Sum)
		}
	}
	return facts
}

// formatUTC formats a time in UTC, or returns "" for the zero time.
func formatUTC(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
