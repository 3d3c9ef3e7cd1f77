package profarc_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// A session is one run of the VM of these tests. It calls functions and dumps.
type session struct {
	*profarc.Run
	t    *testing.T
	path string
}

func startSession(t *testing.T, path string) session {
	t.Helper()
	r, _ := profarc.Start(path, profarc.VM{Name: "VM of sessions", ID: tiny})
	t.Cleanup(func() { r.Close() })
	return session{r, t, path}
}

func (s session) function(name string) *profarc.Function {
	return s.Function(layout.Key{Name: name}, 7)
}

// call counts calls, and branches of which a share in percent is taken.
func (s session) call(name string, calls, takenPercent uint64) {
	f := s.function(name)
	f.Calls().Count(calls)
	taken, notTaken := f.Branch(3)
	taken.Count(calls * takenPercent / 100)
	notTaken.Count(calls - calls*takenPercent/100)
}

func (s session) dump() {
	s.t.Helper()
	if _, err := s.Dump(s.t.Context(), s.path); err != nil {
		s.t.Fatal(err)
	}
	s.Close()
}

func TestAdviceOfRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parc")
	for run := range uint64(4) {
		s := startSession(t, path)
		s.call("cold", 1, 100)
		s.call("stable", 1_000_000, 90)
		s.call("fickle", 500_000, 90-80*(run%2))
		s.call("failing", 500_000, 90)
		s.function("failing").Deopts(3, 5).Count(2)
		s.dump()
	}
	s := startSession(t, path)
	s.call("fresh", 10, 50)
	for name, want := range map[string]profarc.Advice{
		"fresh":   {Count: true, Reason: "the archive has no profile of this code"},
		"cold":    {Reason: "not hot in 4 runs", Runs: 4},
		"stable":  {Compile: true, Reason: "hot and stable in 4 runs", Runs: 4},
		"fickle":  {Count: true, Reason: "hot points went another way in 2 of 4 runs", Runs: 4, Changed: 2},
		"failing": {Count: true, Reason: "8 deoptimizations in 4 runs", Runs: 4, Deopts: 8},
	} {
		testarchive.CheckEqual(t, name, s.function(name).Advice(), want)
	}
}

func TestAdviceOfFewRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parc")
	s := startSession(t, path)
	s.call("f", 1000, 90)
	s.dump()
	s = startSession(t, path)
	want := profarc.Advice{Compile: true, Count: true, Reason: "hot and stable in 1 runs", Runs: 1}
	testarchive.CheckEqual(t, "advice", s.function("f").Advice(), want)
}

// names returns the names of the methods of profiles, and their calls.
func (s session) names(hot []reader.Profile) string {
	var names []string
	for _, p := range hot {
		m, err := p.Method()
		if err != nil {
			s.t.Fatal(err)
		}
		k, err := m.Key()
		if err != nil {
			s.t.Fatal(err)
		}
		calls, _ := p.Invocations()
		names = append(names, fmt.Sprint(k.Name, " ", calls.Trained()))
	}
	return strings.Join(names, ", ")
}

func TestHotProfiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parc")
	s := startSession(t, path)
	s.call("third", 10_000, 50)
	s.call("cold", 100, 50)
	s.call("first", 1_000_000, 50)
	s.call("second", 50_000, 50)
	s.function("second").Loop(8).Count(7)
	s.dump()
	s = startSession(t, path)
	testarchive.CheckEqual(t, "hot", s.names(s.Hot(10)), "first 1000000, second 50000")
	testarchive.CheckEqual(t, "the hottest", s.names(s.Hot(1)), "first 1000000")
	testarchive.CheckEqual(t, "by use", s.names(s.HotByUse(10)), "first 1000000, second 50000")
	testarchive.CheckEqual(t, "iterations", s.function("second").Loop(8).Load(), uint64(7))
	s.call("second", 2_000_000, 50)
	s.dump()
	s = startSession(t, path)
	testarchive.CheckEqual(t, "hot later", s.names(s.Hot(10)), "second 2050000, first 1000000")
	testarchive.CheckEqual(t, "by use later", s.names(s.HotByUse(10)), "second 2050000, first 1000000")
}

// Checkpoints and their merge advise what one dump advises.
func TestAdviceOfCheckpoints(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	s := startSession(t, path("none"))
	s.call("f", 1000, 90)
	s.path = path("initial")
	s.dump()
	inputs := []string{path("initial")}
	for process := range 3 {
		s := startSession(t, path("initial"))
		for i, taken := range []uint64{90, 0, 0} {
			s.call("f", 1000, taken)
			s.call("g", 5, taken)
			inputs = append(inputs, path(fmt.Sprint(process, i)))
			if _, err := s.Checkpoint(t.Context(), inputs[len(inputs)-1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := merge.Files(t.Context(), path("merged"), inputs...); err != nil {
		t.Fatal(err)
	}
	s = startSession(t, path("merged"))
	want := profarc.Advice{Count: true, Reason: "hot points went another way in 3 of 4 runs", Runs: 4, Changed: 3}
	testarchive.CheckEqual(t, "f", s.function("f").Advice(), want)
	testarchive.CheckEqual(t, "g", s.function("g").Advice(), profarc.Advice{Reason: "not hot in 3 runs", Runs: 3})
	testarchive.CheckEqual(t, "hot", s.names(s.Hot(10)), "f 10000")
}

func TestTargetCountsHiddenTypes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parc")
	s := startSession(t, path)
	r := s.function("f").Receivers(3)
	r.Record(s.Type("A"))
	for range 998 {
		r.Record(s.Type("B"))
	}
	s.dump()
	s = startSession(t, path)
	r = s.function("f").Receivers(3)
	if target, _ := r.Target(); target != nil {
		t.Error("a type that is not loaded is the target")
	}
	a := s.Type("A")
	target, certainty := r.Target()
	testarchive.CheckEqual(t, "target", target, a)
	testarchive.CheckEqual(t, "certainty", certainty, 0.001)
	b := s.Type("B")
	target, certainty = r.Target()
	testarchive.CheckEqual(t, "target", target, b)
	testarchive.CheckEqual(t, "certainty", certainty, 0.998)
}

func TestCoverage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parc")
	s := startSession(t, path)
	testarchive.CheckEqual(t, "coverage without calls", s.Coverage(), 0.0)
	s.call("f", 100, 50)
	testarchive.CheckEqual(t, "coverage without an archive", s.Coverage(), 0.0)
	s.dump()
	s = startSession(t, path)
	s.call("f", 30, 50)
	s.call("g", 10, 50)
	testarchive.CheckEqual(t, "coverage", s.Coverage(), 0.75)
}

func TestHistoryOfBuilder(t *testing.T) {
	b := builder.New(layout.DomainCustom, builder.Config{Producer: "VM", ProducerID: tiny})
	p := b.Profile(layout.Key{Name: "f"}, 7)
	p.History(3, 2, 1, 4)
	p.Compile(2, 5, 6)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	s, err := b.Open("a.parc")
	if err != nil {
		t.Fatal(err)
	}
	q, err := s.Profile(layout.Key{Name: "f"}, 7)
	if err != nil {
		t.Fatal(err)
	}
	history, _ := disk.Block(q.Bytes()).History()
	compile, _ := disk.Block(q.Bytes()).Compile()
	testarchive.CheckEqual(t, "history", history, disk.History{
		Decompiles: 3, OverflowRecompiles: 2, OverflowTraps: 1, TenureTraps: 4})
	testarchive.CheckEqual(t, "compile", compile, disk.Compile{Level: 2, Loops: 5, Blocks: 6})
}
