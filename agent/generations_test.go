package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// exact has C1 compile each method of the program before it runs, with profiling: two runs
// have the same counts. Calls have rows for all receivers.
var exact = []string{"-Xcomp", "-XX:TieredStopAtLevel=3", "-XX:TypeProfileWidth=4", "-Xlog:disable",
	"-XX:CompileCommand=quiet",
	"-XX:CompileCommand=compileonly,Generations*::*", "-XX:CompileCommand=compileonly,java.util.ArrayList::indexOfRange"}

// generation runs Generations in a mode, and returns its dump.
func generation(t *testing.T, home, classes, mode string, flags ...string) string {
	t.Helper()
	j := startJVM(t, home, append(append(slices.Clone(exact), flags...), "-cp", classes, "Generations", mode)...)
	j.Await("ready")
	archive := dump(t, j)
	j.End()
	return archive
}

// ownCells returns all cells of what Generations ran, as text.
func ownCells(t *testing.T, s *reader.Store) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	classes := []string{"Generations", "Generations$Line", "Generations$Square", "Generations$Circle",
		"java/util/ArrayList"}
	for _, class := range classes {
		v := adopted("none")
		v.anyOrder = true
		for method, cells := range v.profiles(t, s, class) {
			if cells[0] == "0 invocations" {
				continue // C1 makes a profile for inlined methods
			}
			if class != "java/util/ArrayList" || strings.HasPrefix(method, "indexOfRange") {
				all[class+"::"+method] = cells
			}
		}
	}
	return all
}

// longForm reports whether the tests take as many samples as they can.
func longForm() bool {
	return os.Getenv("PROFARC_EXHAUSTIVE") != "" || os.Getenv("PROFARC_MATRIX") != ""
}

// A dump of a JVM that adopted an archive equals, cell for cell, the dump of a run without one.
func TestDumpsHaveNoCountsOfTheArchive(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	generations := 3
	if longForm() {
		generations = 10
	}
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Generations.java")
		trained := generation(t, home, classes, "with")
		control := ownCells(t, open(t, generation(t, home, classes, "without")))
		archive := trained
		for i := range generations {
			got := generation(t, home, classes, "without", agentFlag(t, archive, ""))
			s := open(t, got)
			if diff := cmp.Diff(control, ownCells(t, s)); diff != "" || len(control) < 10 {
				t.Fatalf("generation %d: %d methods; with the archive the dump has other cells than without:\n%s",
					i, len(control), diff)
			}
			since := open(t, archive).Header().DumpID
			runs, err := s.Runs()
			if err != nil || len(runs) != 1 || runs[0].Since != since || s.Header().Flags&disk.FlagDelta == 0 {
				t.Errorf("generation %d: the runs are %+v, %v; want one, counted since %x", i, runs, err, since)
			}
			archive = merged(t, archive, got)
		}
		if runs, err := open(t, archive).Runs(); err != nil || len(runs) != 1+generations {
			t.Errorf("%d runs, %v; want that of the training and all later ones", len(runs), err)
		}
		same := generation(t, home, classes, "with", agentFlag(t, trained, ""))
		if diff := cmp.Diff(ownCells(t, open(t, trained)), ownCells(t, open(t, same))); diff != "" {
			t.Errorf("a run that does what training did:\n%s", diff)
		}
	})
}

// A receiver whose count the weights of a merge have made 0 takes no row.
func TestFadedReceiversAreNotAdopted(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Generations.java")
		trained, own := generation(t, home, classes, "with"), generation(t, home, classes, "without")
		archive := mergedWith(t, []string{trained, own}, []layout.Weight{layout.WeightOne / 1e6, layout.WeightOne})
		flags := append(slices.Clone(exact), agentFlag(t, archive, ""), "-cp", classes)
		j := startJVM(t, home, append(flags, "Generations", "without")...)
		j.Await("ready")
		for method, cells := range ownCells(t, open(t, dumpAll(t, j))) {
			if text := strings.Join(cells, "\n"); strings.Contains(text, "Integer") {
				t.Errorf("%s has adopted\n%s", method, text)
			}
		}
	})
}

// Whenever a JVM is dumped that adopts without end, while classes and their profiles come
// and go, the dump has nothing of the archive.
func TestDumpsWhileTheAgentWrites(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	dumps := 6
	if longForm() {
		dumps = 20
	}
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Islands.java")
		j := startJVM(t, home, "-cp", classes, "Islands", "train")
		j.Await("ready")
		archive := dump(t, j)
		j.End()
		flags := []string{agentFlag(t, archive, ""), "-Xmx64m", "-XX:MetaspaceSize=8m", "-cp", classes}
		j = startJVM(t, home, append(flags, "Islands", "load")...)
		j.Await("ready")
		seen := 0
		isWork := func(name string) bool { return name == "Islands$Work" }
		for range dumps {
			o := live.Options{Stop: true, StopLimit: time.Minute, Class: isWork}
			path, r := dumpReport(t, j, o)
			seen += checkIslands(t, open(t, path), r.Loaders)
		}
		j.Send("stop")
		if _, errs := j.End(); errs != "" || seen == 0 {
			t.Errorf("%d profiles, stderr: %s", seen, errs)
		}
	})
}

// checkIslands checks the profiles of the class of all islands, and returns their number. Each island called the class
// at most seven times.
func checkIslands(t *testing.T, s *reader.Store, loaders int) (profiles int) {
	t.Helper()
	eachProfile(t, s, func(k layout.Key, p reader.Profile) {
		n, _ := p.Invocations()
		text := strings.Join(adopted("none").profile(p), "\n")
		if profiles++; n.Load() > 7*uint64(loaders) || strings.Contains(text, "Integer") || k.Name == "unused" {
			t.Errorf("%s has\n%s", k.Name, text)
		}
	})
	return profiles
}

// merged returns the sum of archives.
func merged(t *testing.T, paths ...string) string {
	t.Helper()
	return mergedWith(t, paths, make([]layout.Weight, len(paths)))
}

func mergedWith(t *testing.T, paths []string, weights []layout.Weight) string {
	t.Helper()
	var b *builder.Builder
	for i, path := range paths {
		s := open(t, path)
		if b == nil {
			b = builder.New(s.Header().Domain, builder.Config{Params: s.Header().Params})
		}
		if err := merge.Into(t.Context(), b, s, merge.Run{Weight: weights[i]}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.parc", len(paths)))
	if _, err := b.Commit(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}
