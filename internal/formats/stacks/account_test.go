package stacks_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/lcov"
	"github.com/profarc/profarc/internal/formats/stacks/pprof"
	"github.com/profarc/profarc/internal/formats/stacks/pprof/gopgo"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// importAccounted returns the archive of a file, whose account balances, and the totals of the file.
func importAccounted(t testarchive.TB, content []byte, i codec.Importer) (*reader.Store, ledger.Totals) {
	t.Helper()
	report, err := i.Import(&codec.Input{Reader: bytes.NewReader(content), Name: "dir/file"})
	if err != nil {
		t.Fatalf("%v\n%q", err, content)
	}
	in, err := formats.Import(t.Context(), []formats.Input{{Name: "dir/file", Reader: bytes.NewReader(content)}},
		formats.ImportOptions{Importers: []codec.Importer{i}})
	if err != nil {
		t.Fatalf("%v\n%q", err, content)
	}
	data, built, err := in.Builder.Bytes()
	if err != nil || len(built.Unaccounted) > 0 {
		t.Fatalf("unaccounted: %+v, %v\n%q", built.Unaccounted, err, content)
	}
	return testarchive.Open(t, data), report.Totals
}

// exportAccounted returns the export of an archive, whose counts are all written or lost, and the written totals. The
// last result is false if the archive has nothing for the format.
func exportAccounted(t testarchive.TB, s *reader.Store, e codec.Exporter) ([]byte, ledger.Totals, bool) {
	t.Helper()
	var out bytes.Buffer
	lost, err := formats.Export(t.Context(), &out, s, e)
	for _, nothing := range []error{stacks.ErrNoSamples, pprof.ErrNothing, lcov.ErrNoCalls, gopgo.ErrNoEdges,
		gopgo.ErrNoStartLines, gopgo.ErrUnits} {
		if errors.Is(err, nothing) {
			return nil, nil, false
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lost {
		if l.What == ledger.ReasonUnaccounted {
			t.Fatalf("%s: unaccounted: %+v, wrote\n%s", e.Format().Name, lost, out.Bytes())
		}
	}
	report, err := e.Export(&bytes.Buffer{}, s)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), report.Totals, true
}

// total returns the total of all units, modulo 2^64.
func total(t ledger.Totals) (sum uint64) {
	for _, n := range t {
		sum += n
	}
	return sum
}

func plainPprof(t testarchive.TB, data []byte) []byte {
	t.Helper()
	p, err := profileOf(data)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p.WriteUncompressed(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// checkExports exports an archive in all formats, and imports what it can.
func checkExports(t testarchive.TB, s *reader.Store) {
	t.Helper()
	for _, e := range []codec.Exporter{&lcov.Exporter{}, &lcov.Exporter{Lines: true}, &gopgo.Exporter{},
		&gopgo.Exporter{Hot: true}} {
		exportAccounted(t, s, e)
	}
	for _, e := range []codec.Exporter{&stacks.Exporter{}, &stacks.Exporter{Value: "nanoseconds"}} {
		if content, written, ok := exportAccounted(t, s, e); ok && len(content) > 0 {
			_, read := importAccounted(t, content, anyFolded{&stacks.Importer{}})
			if total(written) != total(read) {
				t.Fatalf("folded: wrote %v, read %v\n%s", written, read, content)
			}
		}
	}
	if content, written, ok := exportAccounted(t, s, &pprof.Exporter{}); ok {
		_, read := importAccounted(t, plainPprof(t, content), &pprof.Importer{})
		if total(written) != total(read) {
			t.Fatalf("pprof: wrote %v, read %v", written, read)
		}
	}
	if content, _, ok := exportAccounted(t, s, &gopgo.Exporter{Preprocessed: true}); ok {
		again, _ := importAccounted(t, content, &gopgo.Importer{})
		back, _, _ := exportAccounted(t, again, &gopgo.Exporter{Preprocessed: true})
		if diff := cmp.Diff(string(content), string(back)); diff != "" {
			t.Fatalf("preprofile: %s", diff)
		}
	}
}

// anyFolded takes stacks without callers, which Detect leaves to other formats.
type anyFolded struct{ *stacks.Importer }

func (anyFolded) Detect([]byte, bool) bool { return true }

// TestExportsAreAccounted: each count of any archive is written or named as lost, and the importers find what was
// written.
func TestExportsAreAccounted(t *testing.T) {
	t.Parallel()
	for _, sp := range slices.Concat(specimen.All(), specimen.Hostile()) {
		data, err := sp.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		checkExports(t, testarchive.Open(t, data))
	}
	rapid.Check(t, func(t *rapid.T) {
		for d := layout.DomainHotSpot; d <= layout.DomainSampled; d++ {
			checkExports(t, testarchive.DrawRun(t, d, d.String()).Store)
		}
	})
}

// A drawnStack is a stack with the leaf first.
type drawnStack struct {
	names       []string
	points      []int32
	count, time uint64
}

// drawStacks returns an archive of random stacks.
func drawStacks(t *rapid.T) (*reader.Store, []drawnStack) {
	name := rapid.OneOf(rapid.SampledFrom([]string{"main", "a;b", "# c", "#d", "x 1", "x 2", "{lambda()#1}", "t\tab",
		"new\nline", "\r", "[unknown]", "", " ", "[libc.so]+0x12", "-1", "k=v", "é\xff", "\ufeff", "\ufeffmain",
		"\xff\xfe", "\xfe\xffmain"}), rapid.String())
	name = name.Filter(func(s string) bool { return !strings.Contains(s, "\x00") })
	one := rapid.Custom(func(t *rapid.T) drawnStack {
		n := rapid.IntRange(1, 4).Draw(t, "depth")
		return drawnStack{rapid.SliceOfN(name, n, n).Draw(t, "names"),
			rapid.SliceOfN(rapid.Int32Range(0, 2), n, n).Draw(t, "points"), rapid.Uint64Range(0, 9).Draw(t, "count"),
			rapid.Uint64Range(0, 1<<40).Draw(t, "time")}
	})
	list := rapid.SliceOfN(one, 1, 20).Draw(t, "stacks")
	b := builder.New(layout.DomainSampled, builder.Config{})
	seen := map[string]bool{}
	for _, k := range list {
		key := fmt.Sprintf("%q %v", k.names, k.points[1:])
		if seen[key] {
			continue
		}
		seen[key] = true
		leaf := b.Method(layout.Key{Name: k.names[0]})
		var frames []builder.Frame
		for i := range k.names[1:] {
			frames = append(frames, builder.Frame{Caller: b.Method(layout.Key{Name: k.names[i+1]}), Point: k.points[i+1]})
		}
		p := b.ProfileIn(leaf, 0, b.Context(leaf, frames...))
		if k.count > 0 {
			p.Count(builder.Count{Point: k.points[0], Sub: layout.SubSamples, N: k.count})
		}
		if k.time > 0 {
			p.Count(builder.Count{Point: k.points[0], Sub: layout.SubNanoseconds, N: k.time})
		}
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return testarchive.Build(t, b).Store, list
}

// stacksOf returns the values of an archive by stack.
func stacksOf(t testarchive.TB, s *reader.Store) map[string][2]uint64 {
	t.Helper()
	all := map[string][2]uint64{}
	for k, err := range stacks.Sampled(s) {
		if err != nil {
			t.Fatal(err)
		}
		key := ""
		for _, f := range k.Frames {
			of, err := f.Method.Key()
			if err != nil {
				t.Fatal(err)
			}
			if of.Name == "" || strings.HasPrefix(of.Name, "[libc") {
				f.Point = 0 // code without a symbol has no line
			}
			key += fmt.Sprintf("%q:%d<", of.Name, f.Point)
		}
		sum := all[key]
		all[key] = [2]uint64{sum[0] + k.Count, sum[1] + k.Time}
	}
	return all
}

// TestStacksAreReadAgain: an archive of any stacks comes back from pprof's format with the same stacks, and from the
// collapsed form with the same samples.
func TestStacksAreReadAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, _ := drawStacks(t)
		checkExports(t, s)
		content, _, ok := exportAccounted(t, s, &pprof.Exporter{})
		if !ok {
			return
		}
		again, _ := importAccounted(t, plainPprof(t, content), &pprof.Importer{})
		if diff := cmp.Diff(stacksOf(t, s), stacksOf(t, again)); diff != "" {
			t.Fatal(diff)
		}
		var out bytes.Buffer
		lost, err := formats.Export(t.Context(), &out, s, &stacks.Exporter{})
		if err != nil || lost.Count(stacks.LossNames) > 0 {
			return
		}
		read, _ := importAccounted(t, out.Bytes(), anyFolded{&stacks.Importer{}})
		var back bytes.Buffer
		if _, err := (&stacks.Exporter{}).Export(&back, read); err != nil || back.String() != out.String() {
			t.Fatalf("%v: wrote\n%q, read\n%q", err, out.String(), back.String())
		}
	})
}

func profileOf(data []byte) (*profile.Profile, error) { return profile.Parse(bytes.NewReader(data)) }
