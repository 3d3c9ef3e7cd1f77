package profarc_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/build/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// Each dump is of a process of its own here: one test plays many.
func init() {
	var processes atomic.Uint64
	profileset.ThisProcess = func() layout.Process { return layout.Process{Boot: [16]byte{1}, PID: processes.Add(1)} }
}

// The VM of docs/embedding.md. What the page shows of it stands here word for word.

const domain = layout.DomainCustom

// tiny tells archives of this VM from all others: 16 bytes that were drawn once.
var tiny = [16]byte{0xb1, 0x5e, 0x07, 0x9a, 0x2c, 0x44, 0x4d, 0x18, 0xa9, 0x73, 0x0e, 0x5f, 0xc6, 0x81, 0x3d, 0x92}

// ways are the entries of an instruction that branches.
var ways = layout.EntryShape{Tag: layout.TagProducer, Name: "Ways", Cells: []layout.CellShape{
	{Name: "taken", Kind: layout.CellCount}, {Name: "not-taken", Kind: layout.CellCount},
}}

// A function of the VM, with one branch.
type function struct {
	key                    layout.Key
	code                   uint64 // a sum of its bytecodes
	calls, taken, notTaken *atomic.Uint64
	profile                reader.Profile // in which it counts, and which keeps the memory; zero if it counts in its own
}

func newFunction(name string, code uint64) *function {
	return &function{
		key:   layout.Key{Class: "Shapes", Name: name, Signature: "(I)I"},
		code:  code,
		calls: new(atomic.Uint64), taken: new(atomic.Uint64), notTaken: new(atomic.Uint64),
	}
}

// A machine is a run of the VM.
type machine struct {
	functions []*function
	store     *reader.Store // of earlier runs; nil if there is none
}

const branchAt = 6 // where the branch of each function is in its bytecodes

func (f *function) call(yes bool) {
	f.calls.Add(1)
	if yes {
		f.taken.Add(1)
	} else {
		f.notTaken.Add(1)
	}
}

func (f *function) record(b *builder.Builder) error {
	p := b.Profile(f.key, f.code)
	p.Invocations(f.calls.Load())
	p.Custom(builder.Custom{Point: branchAt, Tag: ways.Tag, Cells: []uint64{f.taken.Load(), f.notTaken.Load()}})
	return p.Done()
}

func (m *machine) start(path string) error {
	s, err := reader.Open(path, archive.Options{Expect: archive.Expect{Domain: domain, ProducerID: tiny}})
	if err != nil {
		return err // run without it
	}
	if err := s.Adopt(reader.AdoptOptions{}); err != nil {
		return errors.Join(err, s.Close())
	}
	m.store = s
	return nil
}

func (m *machine) adopt(f *function) {
	if m.store == nil {
		return
	}
	p, err := m.store.Profile(f.key, f.code)
	if err != nil {
		return // it is new, or its code has changed
	}
	if p, err = p.Claim(); err != nil {
		return
	}
	calls, _ := p.Invocations() // this VM records them, and the branch, in every profile
	branch, _ := p.At(branchAt)
	f.profile = p
	f.calls, _ = calls.Word()
	f.taken, _ = branch.Cell(0).Word()
	f.notTaken, _ = branch.Cell(1).Word()
}

func (m *machine) dump(ctx context.Context, path string, take merge.Counts) error {
	b := builder.New(domain, builder.Config{Producer: "tiny VM 1", ProducerID: tiny, DumpID: builder.RandomDumpID(),
		DumpTime: time.Now(), Run: &layout.Provenance{VM: "tiny VM 1"}}) // a run, so that nothing is summed twice
	if err := b.DeclareShape(ways); err != nil {
		return err
	}
	if m.store != nil {
		dropped, err := merge.Snapshot(ctx, b, m.store, take)
		if err != nil {
			return err
		}
		if dropped.Rows+dropped.Profiles > 0 { // the archive is damaged, or what counts in it is wrong
			log.Printf("%s lacks %v", path, dropped)
		}
	}
	for _, f := range m.functions {
		if f.profile.Claimed() || f.calls.Load() == 0 {
			continue // the copy has it, or there is nothing to have
		}
		if err := f.record(b); err != nil {
			return err
		}
	}
	_, err := b.Commit(ctx, path)
	return err
}

func sum(ctx context.Context, to string, dumps ...string) error {
	b := builder.New(domain, builder.Config{}) // the producer is the first archive's
	for _, path := range dumps {
		s, err := reader.Open(path, archive.Options{Mode: archive.ModeHeap})
		if err != nil {
			return err
		}
		err = errors.Join(merge.Into(ctx, b, s, builder.Run{}), s.Close())
		if err != nil {
			return err
		}
	}
	_, err := b.Commit(ctx, to)
	return err
}

// A ledger has what was counted of every version of every function: calls, taken, not taken.
type ledger map[string][3]uint64

func (f *function) version() string { return fmt.Sprintf("%s %d", f.key.Name, f.code) }

// work calls the functions of a generation; each is adopted when it is called first, and notes the calls. One
// function changes its code after the third generation, another comes with the second.
func work(m *machine, generation int, truth ledger) {
	random := rand.New(rand.NewPCG(uint64(generation), 1))
	m.functions = []*function{newFunction("area", 1), newFunction("seldom", 1),
		newFunction("changed", uint64(1+generation/4))}
	if generation > 1 {
		m.functions = append(m.functions, newFunction("late", 1))
	}
	for _, f := range m.functions {
		if f.key.Name == "seldom" && generation%2 == 0 {
			continue
		}
		m.adopt(f)
		now := truth[f.version()]
		for range random.IntN(1000) + 1 {
			yes := random.IntN(3) > 0
			f.call(yes)
			now[0]++
			if yes {
				now[1]++
			} else {
				now[2]++
			}
		}
		truth[f.version()] = now
	}
}

// countsIn reads everything that an archive has.
func countsIn(t *testing.T, path string) ledger {
	t.Helper()
	s, err := reader.Open(path, archive.Options{Mode: archive.ModeHeap})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found := ledger{}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.Profiles() {
			calls, _ := p.Invocations()
			e, _ := p.At(branchAt)
			found[fmt.Sprintf("%s %d", k.Name, p.Code())] = [3]uint64{calls.Load(), e.Cell(0).Load(), e.Cell(1).Load()}
		}
	}
	return found
}

// TestGenerations follows the recipe of docs/adoption.md over seven generations, in both
// ways: after each the archive has what all of them have counted, to the last call.
func TestGenerations(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is mapped is not replaced here")
	}
	ctx := t.Context()
	for _, take := range []merge.Counts{merge.Totals, merge.Increments} {
		dir := t.TempDir()
		app, run := filepath.Join(dir, "app.parc"), filepath.Join(dir, "run.parc")
		truth := ledger{}
		for generation := 1; generation <= 7; generation++ {
			m := &machine{}
			if err := m.start(app); err != nil && generation > 1 {
				t.Fatal(err)
			}
			work(m, generation, truth)
			if err := finish(ctx, m, app, run, take); err != nil {
				t.Fatalf("take %d, generation %d: %v", take, generation, err)
			}
			wantCounts(t, countsIn(t, app), truth)
		}
	}
}

// finish ends a run, and puts its counts into the archive.
func finish(ctx context.Context, m *machine, app, run string, take merge.Counts) error {
	if m.store != nil {
		defer m.store.Close()
	}
	switch {
	case m.store == nil || take == merge.Totals:
		return m.dump(ctx, app, take)
	}
	if err := m.dump(ctx, run, merge.Increments); err != nil {
		return err
	}
	return sum(ctx, app, app, run)
}

func wantCounts(t *testing.T, got, want ledger) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("versions: %d, want %d", len(got), len(want))
	}
	for version, counts := range want {
		if got[version] != counts {
			t.Errorf("%s: counts %v, want %v", version, got[version], counts)
		}
	}
}

// TestTotalsAreNotSummedWithWhatTheyContain: the mistake that the recipe prevents is an error.
func TestTotalsAreNotSummedWithWhatTheyContain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	app, live := filepath.Join(dir, "app.parc"), filepath.Join(dir, "live.parc")
	first, second := &machine{}, &machine{}
	work(first, 1, ledger{})
	if err := first.dump(t.Context(), app, merge.Totals); err != nil {
		t.Fatal(err)
	}
	if err := second.start(app); err != nil {
		t.Fatal(err)
	}
	defer second.store.Close()
	work(second, 2, ledger{})
	if err := second.dump(t.Context(), live, merge.Totals); err != nil {
		t.Fatal(err)
	}
	if err := sum(t.Context(), filepath.Join(dir, "twice.parc"), app, live); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("an archive and its totals were summed: %v", err)
	}
}

// TestIncrementsOfProcessesThatRunAtOnce: two processes that adopted one archive are summed
// with it, and neither of them a second time.
func TestIncrementsOfProcessesThatRunAtOnce(t *testing.T) {
	t.Parallel()
	dir, truth := t.TempDir(), ledger{}
	app, all := filepath.Join(dir, "app.parc"), filepath.Join(dir, "all.parc")
	first := &machine{}
	work(first, 1, truth)
	if err := first.dump(t.Context(), app, merge.Increments); err != nil {
		t.Fatal(err)
	}
	dumps := []string{app}
	for generation := 2; generation <= 3; generation++ {
		m, run := &machine{}, filepath.Join(dir, fmt.Sprintf("run-%d.parc", generation))
		if err := m.start(app); err != nil {
			t.Fatal(err)
		}
		defer m.store.Close()
		work(m, generation, truth)
		if err := m.dump(t.Context(), run, merge.Increments); err != nil {
			t.Fatal(err)
		}
		dumps = append(dumps, run)
	}
	if err := sum(t.Context(), all, dumps...); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, countsIn(t, all), truth)
	if err := sum(t.Context(), filepath.Join(dir, "again.parc"), all, dumps[1]); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("increments were summed twice: %v", err)
	}
}

// TestTotalsWithoutADescription: why the recipe has Config.Run. Nothing tells that totals
// contain the archive that they began with.
func TestTotalsWithoutADescription(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	app := filepath.Join(dir, "app.parc")
	plain := func(m *machine, path string) {
		b := builder.New(domain, builder.Config{Producer: "tiny VM 1", ProducerID: tiny, DumpID: builder.RandomDumpID()})
		err := b.DeclareShape(ways)
		if m.store != nil {
			_, copied := merge.Snapshot(t.Context(), b, m.store, merge.Totals)
			err = errors.Join(err, copied)
		}
		for _, f := range m.functions {
			err = errors.Join(err, f.record(b))
		}
		if _, failed := b.Commit(t.Context(), path); errors.Join(err, failed) != nil {
			t.Fatal(err, failed)
		}
	}
	first, second := &machine{}, &machine{}
	work(first, 1, ledger{})
	plain(first, app)
	if err := second.start(app); err != nil {
		t.Fatal(err)
	}
	defer second.store.Close()
	live, twice := filepath.Join(dir, "live.parc"), filepath.Join(dir, "twice.parc")
	plain(second, live)
	if err := sum(t.Context(), twice, app, live); err != nil {
		t.Errorf("it is told after all, so that the recipe can say less: %v", err)
	}
}

// TestPagesShowTheVM checks that the code of the pages is part of the VM above and of the
// examples of libprofarc, which are compiled and run.
func TestPagesShowTheVM(t *testing.T) {
	t.Parallel()
	showsTheVM(t, "docs/embedding.md", map[string][]string{"go": {"embedding_test.go", "reader/example_layers_test.go"},
		"c": {"c/examples/first.c", "c/examples/vm.c", "c/examples/count.c", "c/examples/layers.c"}})
	showsTheVM(t, "docs/adoption.md", map[string][]string{"go": {"embedding_test.go"}})
}

func showsTheVM(t *testing.T, page string, languages map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for language, sources := range languages {
		var code []string
		for _, name := range sources {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, string(b))
		}
		blocks := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			t.Errorf("%s shows no code in %s", page, language)
		}
		for _, block := range blocks {
			if !slices.ContainsFunc(code, func(c string) bool { return strings.Contains(c, block[1]) }) {
				t.Errorf("%v do not have this code of %s:\n%s", sources, page, block[1])
			}
		}
	}
}
