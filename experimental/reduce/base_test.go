package reduce_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestMain draws fewer examples unless all tests run.
func TestMain(m *testing.M) {
	if err := full.LimitDraws(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// foundBy returns the result of a lookup as text. It does not depend on the rest of the archive.
func foundBy(t testarchive.TB, p reader.Profile, depth int, err error) string {
	t.Helper()
	if err != nil {
		return err.Error()
	}
	m, err := p.Method()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := jsondump.WriteProfile(&text, p.Store(), m, p); err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(text.String(), `"methods":[`)
	return fmt.Sprint(depth, strings.Replace(line, fmt.Sprintf(`,"flags":%d`, disk.MethodSharedID), "", 1))
}

// checkAnswers checks that layers answer as an archive does, for every method and version of
// it, in each of its contexts and in others.
func checkAnswers(t testarchive.TB, l *reader.Layers, full *reader.Store) {
	t.Helper()
	for m, err := range full.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		contexts, codes := [][]reader.Frame{nil, {{Caller: m, Point: 3}, {Caller: m, Point: -9}}}, map[uint64]bool{}
		for p := range m.Profiles() {
			codes[p.Code()], codes[layout.CodeAny] = true, true
			c, _, err := p.Context()
			frames, err2 := c.Frames()
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			contexts = append(contexts, frames, append(frames[:len(frames):len(frames)], reader.Frame{Caller: m, Point: 77}))
		}
		for code := range codes {
			for _, frames := range contexts {
				p, depth, err := m.Profile(code, frames...)
				want := foundBy(t, p, depth, err)
				p, depth, err = l.ProfileOf(m, code, frames...)
				if got := foundBy(t, p, depth, err); got != want {
					t.Fatalf("%v, code %x: layers answer\n%v\nthe archive\n%v", k, code, got, want)
				}
			}
			p, err := full.Profile(k, code)
			want := foundBy(t, p, 0, err)
			p, err = l.Profile(k, code)
			if got := foundBy(t, p, 0, err); got != want {
				t.Fatalf("%v, code %x, every caller: layers answer\n%v\nthe archive\n%v", k, code, got, want)
			}
		}
	}
}

// onBase makes an archive a layer on another one, and opens both.
func onBase(t testarchive.TB, full, base *reader.Store, mayDiffer layout.Weight) (*reader.Layers, *reduce.Report) {
	t.Helper()
	app, report := reduced(t, full, reduce.Options{Base: base, MayDiffer: mayDiffer})
	l, err := reader.NewLayers(app.Store, base)
	if err != nil {
		t.Fatal(err)
	}
	return l, report
}

// Whatever an archive answers, its layer and the base answer alike; what both have in common
// with the base, the layer lacks.
func TestLayersOfAReducedArchiveAnswerAsTheArchive(t *testing.T) {
	t.Parallel()
	for _, domain := range testarchive.Domains {
		t.Run(domain.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				base, other := testarchive.DrawRun(t, domain, "base"), testarchive.DrawRun(t, domain, "other")
				common := rapid.IntRange(0, 15).Draw(t, "common")
				isCommon := func(k layout.Key) bool {
					var i int
					n, _ := fmt.Sscanf(k.Name, "m%d", &i)
					return n == 1 && common>>i&1 != 0
				}
				ofBase, _ := reduced(t, base.Store, reduce.Options{Methods: isCommon})
				ofOther, _ := reduced(t, other.Store, reduce.Options{Methods: func(k layout.Key) bool { return !isCommon(k) }})
				full := testarchive.Merge(t, ofBase, ofOther)
				l, report := onBase(t, full.Store, base.Store, 0)
				checkAnswers(t, l, full.Store)
				app, whole, beneath, same := methodLines(t, l.Stores()[0]), rawLines(t, full.Store),
					rawLines(t, base.Store), uint64(0)
				for m, line := range whole {
					if line == beneath[m] {
						same++
					}
					if _, there := app[m]; there != (line != beneath[m]) {
						t.Fatalf("the layer has %s: %v", m, there)
					}
				}
				if report.LeftToBase < same {
					t.Fatalf("%d methods were left to the base, which has %d", report.LeftToBase, same)
				}
			})
		})
	}
}

// rawLines is like methodLines with all flags.
func rawLines(t testarchive.TB, s *reader.Store) map[string]string {
	lines := methodLines(t, s)
	for m := range s.Methods() {
		var line bytes.Buffer
		if err := jsondump.WriteMethod(&line, s, m); err != nil {
			t.Fatal(err)
		}
		if key := keyText(t, m); lines[key] != "" {
			lines[key] = line.String()
		}
	}
	return lines
}

func TestLayersOfSpecimensAreEmpty(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		if _, layer, _ := s.Base(); layer {
			_, _, err := reduce.Archive(t.Context(), s.Store, reduce.Options{Base: s.Store})
			if !errors.Is(err, builder.ErrMismatch) {
				t.Errorf("a layer on another base: %v", err)
			}
			return
		}
		l, _ := onBase(t, s.Store, s.Store, 0)
		checkAnswers(t, l, s.Store)
		if app := methodLines(t, l.Stores()[0]); len(app) > 0 {
			t.Errorf("it has %v", app)
		}
		again, _ := reduced(t, l.Stores()[0], reduce.Options{Base: s.Store})
		if base, layer, err := again.Base(); !layer || err != nil || !disk.IsSameBase(base, s.Header().AsBase()) {
			t.Errorf("a layer that is reduced again is one on %v, %v, %v", base, layer, err)
		}
	})
}

// branches returns an archive of a method whose branch was taken so and so often, with receivers of a call.
func branches(t *testing.T, code, taken, not uint64, receivers map[string]uint64) *reader.Store {
	b := testarchive.New(layout.DomainHotSpot)
	p := b.Profile(layout.Key{Class: "A", Name: "m"}, code)
	p.Invocations(taken)
	p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: taken, NotTaken: not})
	for name, n := range receivers {
		p.VirtualCall(builder.At{Bci: 7}, builder.Others{}, builder.Row{Type: b.Type(builder.TypeKey{Name: name}), Count: n})
	}
	testarchive.MustDone(t, p)
	return testarchive.Build(t, b).Store
}

func TestWhatMayDifferFromABase(t *testing.T) {
	t.Parallel()
	base := branches(t, 7, 900, 100, nil)
	calls := branches(t, 7, 900, 100, map[string]uint64{"X": 1000})
	percent := layout.WeightOne / 100
	for _, test := range []struct {
		what       string
		base, full *reader.Store
		mayDiffer  layout.Weight
		left       bool
	}{
		{"the same", base, branches(t, 7, 900, 100, nil), 0, true},
		{"one more", base, branches(t, 7, 901, 100, nil), 0, false},
		{"one more", base, branches(t, 7, 901, 100, nil), percent, true},
		{"ten times as many", base, branches(t, 7, 9000, 1000, nil), 0, false},
		{"ten times as many", base, branches(t, 7, 9000, 1000, nil), percent, true},
		{"six of a hundred", base, branches(t, 7, 840, 160, nil), 5 * percent, false},
		{"six of a hundred", base, branches(t, 7, 840, 160, nil), 7 * percent, true},
		{"the other way", base, branches(t, 7, 100, 900, nil), 50 * percent, false},
		{"the other way", base, branches(t, 7, 100, 900, nil), layout.WeightOne, true},
		{"other code", base, branches(t, 8, 900, 100, nil), layout.WeightOne, false},
		{"another receiver", calls, branches(t, 7, 900, 100, map[string]uint64{"Y": 1000}), 40 * percent, false},
		{"another receiver", calls, branches(t, 7, 900, 100, map[string]uint64{"Y": 1000}), 60 * percent, true},
	} {
		l, report := onBase(t, test.full, test.base, test.mayDiffer)
		p, err := l.Profile(layout.Key{Class: "A", Name: "m"}, layout.CodeAny)
		if err != nil || (p.Store() == test.base) != test.left || (report.LeftToBase == 1) != test.left {
			t.Errorf("%s, %v may differ: left to the base %v (%d), want %v; %v", test.what, test.mayDiffer,
				p.Store() == test.base, report.LeftToBase, test.left, err)
		}
	}
}

func TestBasesThatDoNotFit(t *testing.T) {
	t.Parallel()
	app, base := branches(t, 7, 1, 1, nil), branches(t, 8, 1, 1, nil)
	names, err := reduce.NewAnonymizer(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, options := range map[string]reduce.Options{
		"another domain":   {Base: testarchive.Build(t, testarchive.New(layout.DomainGraal)).Store},
		"names of its own": {Base: base, Names: names},
	} {
		t.Run(what, func(t *testing.T) {
			if _, _, err := reduce.Archive(t.Context(), app, options); !errors.Is(err, builder.ErrMismatch) {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
	layer, _ := reduced(t, app, reduce.Options{Base: base})
	if _, _, err := reduce.Archive(t.Context(), layer.Store, reduce.Options{Base: app}); !errors.Is(err,
		builder.ErrMismatch) {
		t.Errorf("a layer on another base: %v", err)
	}
	named, report := reduced(t, layer.Store, reduce.Options{Names: names})
	if _, layer, err := named.Base(); layer || err != nil || report.Rows[disk.TableBase] != 1 {
		t.Errorf("with names of its own it is a layer: %v, %v; dropped %v", layer, err, report.Rows)
	}
}
