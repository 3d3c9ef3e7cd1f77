package reader_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func TestLateTypes(t *testing.T) {
	for _, s := range []*reader.Store{openFixture(t), openFile(t, fixture(0))} {
		adopt(t, s, reader.AdoptOptions{})
		known, err := s.LateType("Circle", "")
		if circle, _ := s.FindType("Circle", ""); err != nil || known.Late() || known != circle {
			t.Errorf("a type of the archive: %v, %v", known, err)
		}
		first, err := s.LateType("Hexagon", "app")
		if err != nil {
			t.Fatal(err)
		}
		second, _ := s.LateType("Hexagon", "")
		again, _ := s.LateType("Hexagon", "app")
		if first == second {
			t.Error("types of two loaders are one")
		}
		testarchive.CheckEqual(t, "the same type again", again, first)
		testarchive.CheckEqual(t, "a new type is late", first.Late(), true)
		testarchive.CheckEqual(t, "ordinal of the first late type", uint64(first.Ordinal()), s.Header().Counts.Types)
		if name, err := first.Name(); err != nil || name.String() != "Hexagon" {
			t.Errorf("name %q, %v, want Hexagon", name, err)
		}
		if loader, err := first.Loader(); err != nil || loader.String() != "app" {
			t.Errorf("loader %q, %v, want app", loader, err)
		}
		if flags, err := first.Flags(); err != nil || flags != 0 {
			t.Errorf("flags %#x, %v, want none", flags, err)
		}
		if id, err := first.ID(); err != nil || id != layout.TypeID("Hexagon", "app") {
			t.Errorf("id %016x, %v, want %016x", id, err, layout.TypeID("Hexagon", "app"))
		}
		if byNumber, err := s.Type(first.Ordinal()); err != nil || byNumber != first {
			t.Errorf("by ordinal: %v, %v", byNumber, err)
		}
		if _, err := s.Type(second.Ordinal() + 1); !errors.Is(err, reader.ErrNotFound) {
			t.Errorf("a type after the last: %v", err)
		}
		r := receiversAt(t, adoptProfile(t, s, keyArea), 5)
		for range 3 {
			if _, err := r.Record(first); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(map[string]uint64{"Square": 15, "Hexagon": 3}, rowShapeOf(t, r)); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	}
}

// A name that no archive holds would make every later dump fail.
func TestInvalidLateTypes(t *testing.T) {
	s := openFixture(t)
	adopt(t, s, reader.AdoptOptions{})
	long := strings.Repeat("x", disk.MaxName+1)
	for _, k := range [][2]string{{"a\x00b", ""}, {"a", "b\x00"}, {long, ""}, {"a", long}} {
		if _, err := s.LateType(k[0], k[1]); err == nil {
			t.Errorf("a name of %d bytes, a loader of %d", len(k[0]), len(k[1]))
		}
	}
}

func TestTooManyLateTypes(t *testing.T) {
	s := openFixture(t)
	adopt(t, s, reader.AdoptOptions{})
	for i := range reader.MaxLateTypes {
		if _, err := s.LateType(fmt.Sprint(i), ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.LateType("one more", ""); !errors.Is(err, layout.ErrTooLarge) {
		t.Errorf("one type too many: %v", err)
	}
	if ty, err := s.LateType("77", ""); err != nil || !ty.Late() {
		t.Errorf("a type that is there: %v", err)
	}
}

// The rows of a type that is not loaded yet are not acted on.
func TestBarrier(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	circle, _ := s.FindType("Circle", "")
	square, _ := s.FindType("Square", "app")
	r := receiversAt(t, profileOf(t, s, keyArea), 6)
	bound := func() (n uint64) {
		for row := range r.Bound() {
			n += row.Count.Load()
		}
		return n
	}
	if _, state := s.Binding(circle); bound() != 0 || state != reader.BindingUnbound {
		t.Error("a type is bound from the start")
	}
	if err := s.Bind(square, 42); err != nil {
		t.Fatal(err)
	}
	if class, state := s.Binding(square); bound() != 18 || class != 42 || state != reader.BindingBound {
		t.Errorf("class %d, state %d, bound rows %d", class, state, bound())
	}
	if err := s.Bind(circle, 43); err != nil || bound() != 35 {
		t.Errorf("bound rows %d, %v", bound(), err)
	}
	if err := s.Exclude(circle); err != nil || bound() != 18 {
		t.Errorf("bound rows %d, %v", bound(), err)
	}
	if _, state := s.Binding(circle); state != reader.BindingExcluded {
		t.Errorf("state %d", state)
	}
}

func TestBindingErrors(t *testing.T) {
	s := openFixture(t)
	circle, _ := s.FindType("Circle", "")
	square, _ := s.FindType("Square", "app")
	foreign, _ := openFixture(t).FindType("Circle", "")
	if err := s.Bind(circle, 1); err != nil || s.Bind(circle, 1) != nil {
		t.Errorf("binding twice to the same class: %v", err)
	}
	if err := s.Exclude(square); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{"another class": s.Bind(circle, 2), "an excluded type": s.Bind(square, 2)} {
		if !errors.Is(err, reader.ErrAmbiguous) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"class 0": s.Bind(circle, 0), "the highest class": s.Bind(circle, ^uint64(0)),
		"a foreign type": s.Bind(foreign, 1), "no type": s.Bind(reader.Type{}, 1),
		"exclude a foreign type": s.Exclude(foreign),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if class, state := s.Binding(foreign); class != 0 || state != reader.BindingUnbound {
		t.Error("a foreign type is bound")
	}
	adopt(t, s, reader.AdoptOptions{})
	late, _ := s.LateType("Late", "")
	if err := s.Bind(late, 7); err != nil {
		t.Fatal(err)
	}
	if class, state := s.Binding(late); class != 7 || state != reader.BindingBound {
		t.Errorf("late type: class %d, state %d", class, state)
	}
}
