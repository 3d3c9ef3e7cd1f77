package copier_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// original returns an archive with monitors and a call to Square in Shapes.sum.
func original(t *testing.T) *reader.Store {
	t.Helper()
	b := testarchive.New(layout.DomainHotSpot)
	square := b.Type(builder.TypeKey{Name: "Square"})
	p := b.Profile(layout.Key{Class: "Shapes", Name: "sum", Signature: "()V"}, 0)
	p.VirtualCall(builder.At{Bci: 6}, builder.Others{}, builder.Row{Type: square, Count: 7})
	testarchive.MustDone(t, p)
	monitors := b.Internal().Table(disk.TableMonitors, 0, disk.ColumnType, disk.ColumnWord)
	monitors.Row(uint64(square), 5)
	monitors.Row(uint64(b.Type(builder.TypeKey{Name: "Circle"})), 3)
	return testarchive.Build(t, b).Store
}

// contents returns the types, methods and monitors of an archive as text, and the count of its only receiver.
func contents(t *testing.T, s *reader.Store) string {
	t.Helper()
	var parts []string
	for typ := range s.Types() {
		name, err := typ.Name()
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, name.String())
	}
	for m := range s.Methods() {
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, k.Class+"."+k.Name)
		for p := range m.Profiles() {
			for e := range p.Entries() {
				receivers, _ := e.Receivers()
				for row := range receivers.All() {
					parts = append(parts, fmt.Sprint("count ", row.Count.Load()))
				}
			}
		}
	}
	if monitors, err := s.Table(disk.TableMonitors); err == nil {
		for row := range monitors.Rows {
			parts = append(parts, fmt.Sprint("entered ", monitors.Cell(1, row)))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// TestHooks copies an archive with each hook.
func TestHooks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hooks copier.Hooks
		want  string
	}{
		"none": {copier.Hooks{}, "Circle, Shapes, Shapes.sum, Square, count 7, entered 3, entered 5"},
		"types": {copier.Hooks{Type: func(name, loader, alias string) (string, string, string) {
			return strings.ReplaceAll(name, "Square", "Rect"), loader, alias
		}}, "Circle, Rect, Shapes, Shapes.sum, count 7, entered 3, entered 5"},
		"keys": {copier.Hooks{Key: func(_ reader.Method, k layout.Key) (layout.Key, error) {
			k.Name = "total"
			return k, nil
		}}, "Circle, Shapes, Shapes.total, Square, count 7, entered 3, entered 5"},
		"entries": {copier.Hooks{Entry: func(e disk.Entry) error {
			e.SetCell(disk.ShapeOfParams(&layout.Params{TypeProfileWidth: 2, ReceiverGap: 1}).ReceiverRow(0)+1, 70)
			return nil
		}}, "Circle, Shapes, Shapes.sum, Square, count 70, entered 3, entered 5"},
		"tables": {copier.Hooks{Skip: func(table *reader.Table) bool { return table.Kind == disk.TableMonitors }},
			"Circle, Shapes, Shapes.sum, Square, count 7"},
		"rows": {copier.Hooks{Rows: func(table *reader.Table) func(int) (bool, error) {
			return func(row int) (bool, error) { return table.Cell(1, row) > 3, nil }
		}}, "Circle, Shapes, Shapes.sum, Square, count 7, entered 5"},
		"words": {copier.Hooks{Word: func(_ disk.TableKind, _ int, v uint64) uint64 { return 10 * v }},
			"Circle, Shapes, Shapes.sum, Square, count 7, entered 30, entered 50"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := original(t)
			b := builder.New(layout.DomainHotSpot, builder.ConfigOf(s.Header()))
			set := b.Internal()
			if err := copier.New(t.Context(), set, s, set.CurrentRun(), test.hooks).All(); err != nil {
				t.Fatal(err)
			}
			if got := contents(t, testarchive.Build(t, b).Store); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// TestLazyCopy: a lazy copier copies a profile and the types and methods that it needs.
func TestLazyCopy(t *testing.T) {
	t.Parallel()
	s := original(t)
	b := builder.New(layout.DomainHotSpot, builder.ConfigOf(s.Header()))
	set := b.Internal()
	c := copier.New(t.Context(), set, s, set.CurrentRun(), copier.Hooks{Lazy: true})
	m, err := s.Find(layout.Key{Class: "Shapes", Name: "sum", Signature: "()V"})
	if err != nil {
		t.Fatal(err)
	}
	for p, err := range m.Profiles() {
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Profile(m, p); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := contents(t, testarchive.Build(t, b).Store), "Shapes, Shapes.sum, Square, count 7"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
