package reduce_test

import (
	"bufio"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// What a JVM counted is found in a layer and its base as in the archive without layers: to every count where
// the layer has it, and in nearly the same proportions where it was left to the profiles of another program.
func TestLayersOfAJVMAnswerAsItsArchive(t *testing.T) {
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		t.Parallel()
		classes := testjvm.Compile(t, home, "testdata/OnBase.java")
		base, full := dumped(t, home, classes, "base"), dumped(t, home, classes, "app")
		t.Run("the same counts", func(t *testing.T) {
			l, _ := onBase(t, full, base, 0)
			checkAnswers(t, l, full)
		})
		t.Run("other counts", func(t *testing.T) { checkNearAnswers(t, full, base, layout.WeightOne/10) })
	})
}

// dumped returns the profiles of a JVM that has done its work.
func dumped(t *testing.T, home, classes, program string) *reader.Store {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(home, "bin", "java"), "-cp", classes, "OnBase", program)
	in, out := testjvm.StartPiped(t, cmd)
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
	}
	if lines.Text() != "ready" {
		t.Fatalf("the program does not become ready: %v", lines.Err())
	}
	vm, err := live.Attach(t.Context(), cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := vm.Dump(t.Context(), live.Options{Stop: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	return s
}

// checkNearAnswers checks that a layer and its base answer for every version of the methods of an archive:
// the layer as the archive, the base with counts that differ by no more than they may.
func checkNearAnswers(t *testing.T, full, base *reader.Store, mayDiffer layout.Weight) {
	t.Helper()
	l, report := onBase(t, full, base, mayDiffer)
	var own, left, differ int
	for p, err := range profilesOf(full) {
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Method()
		k, err2 := m.Key()
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		got, err := l.Profile(k, p.Code())
		switch want := foundBy(t, p, 0, nil); {
		case err != nil:
			t.Errorf("%v: %v", k, err)
		case got.Store() != base:
			own++
			if got := foundBy(t, got, 0, nil); got != want {
				t.Errorf("%v: the layer has\n%v\nthe archive\n%v", k, got, want)
			}
		default:
			left++
			if foundBy(t, got, 0, nil) != want {
				differ++
			}
			if d := difference(sharesOf(t, p), sharesOf(t, got)); d > float64(mayDiffer)/float64(layout.WeightOne)+1e-9 {
				t.Errorf("%v: the counts of the base differ by %.3f", k, d)
			}
		}
	}
	t.Logf("%d profiles are in the layer, %d in the base, of which %d differ", own, left, differ)
	if own == 0 || differ == 0 || report.LeftToBase == 0 {
		t.Errorf("%d profiles are in the layer, %d in the base, of which %d differ: the test shows nothing", own,
			left, differ)
	}
	if _, err := l.Stores()[0].Profile(layout.Key{Class: "OnBase$Work", Name: "sum", Signature: "(Ljava/util/List;)I",
		Loader: "app"}, layout.CodeAny); err != nil {
		t.Errorf("a method of the program: %v", err)
	}
}

// profilesOf iterates over all profiles of an archive.
func profilesOf(s *reader.Store) func(yield func(reader.Profile, error) bool) {
	return func(yield func(reader.Profile, error) bool) {
		for m, err := range s.Methods() {
			if err != nil {
				yield(reader.Profile{}, err)
				return
			}
			for p, err := range m.Profiles() {
				if !yield(p, err) {
					return
				}
			}
		}
	}
}

// sharesOf returns the counts of a HotSpot profile as shares of their sum.
func sharesOf(t *testing.T, p reader.Profile) map[string]float64 {
	t.Helper()
	shares, sum := map[string]float64{}, 0.0
	add := func(e reader.Entry, of any, n uint64) {
		shares[fmt.Sprint(e.Point(), e.Tag(), of)] += float64(n)
		sum += float64(n)
	}
	for e := range p.Entries() {
		cells := []int{}
		switch e.Tag() {
		case layout.TagCounter, layout.TagJump, layout.TagCallType:
			cells = []int{0}
		case layout.TagBranch:
			cells = []int{0, 2}
		case layout.TagMultiBranch:
			for i := 1; i < e.Cells(); i += 2 {
				cells = append(cells, i)
			}
		}
		for _, i := range cells {
			add(e, i, e.Cell(i).Trained())
		}
		addReceivers(t, e, add)
	}
	for of := range shares {
		shares[of] /= max(sum, 1)
	}
	return shares
}

// addReceivers adds the counts of a call or type check by receiver. That of failed checks is negative.
func addReceivers(t *testing.T, e reader.Entry, add func(e reader.Entry, of any, n uint64)) {
	t.Helper()
	r, ok := e.Receivers()
	if !ok {
		return
	}
	add(e, "others", uint64(max(int64(r.Other().Trained()), 0)))
	for i := range r.Len() {
		row, ok := r.Row(i)
		if !ok {
			continue
		}
		name, err := row.Type.Name()
		loader, err2 := row.Type.Loader()
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		add(e, name.String()+" of "+loader.String(), row.Count.Trained())
	}
}

// difference returns the part of the shares that another list lacks: 0 for the same, 1 for those
// that have nothing in common.
func difference(x, y map[string]float64) float64 {
	var lacksX, lacksY float64
	for of, share := range x {
		lacksY += max(share-y[of], 0)
	}
	for of, share := range y {
		lacksX += max(share-x[of], 0)
	}
	return max(lacksX, lacksY)
}
