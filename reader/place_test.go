package reader_test

import (
	"fmt"
	"log"
	"reflect"
	"testing"

	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestPlacesOfCells: every counter and cell of an adopted profile is where its offset says,
// at the requested base and elsewhere, mapped and on the heap.
func TestPlacesOfCells(t *testing.T) {
	for _, anywhere := range []bool{false, true} {
		for _, s := range []*reader.Store{openFixture(t), openFile(t, fixture(1))} {
			adopt(t, s, reader.AdoptOptions{Anywhere: anywhere})
			p := adoptProfile(t, s, keyArea)
			check := func(c reader.Counter) {
				t.Helper()
				a, _ := s.Adoption()
				word, ok := c.Word()
				place := uint64(uintptr(p.Address())) + uint64(c.Offset()-p.Ref().Offset())
				if !ok || a.Base+uint64(c.Offset()) != place || reflect.ValueOf(word).Pointer() != uintptr(place) {
					t.Errorf("word at %#x, offset %#x, base %#x", reflect.ValueOf(word).Pointer(), c.Offset(), a.Base)
				}
			}
			calls, _ := p.Invocations()
			check(calls)
			cells := 0
			for e := range p.Entries() {
				for i := range e.Cells() {
					check(e.Cell(i))
					cells++
				}
			}
			if cells < 10 {
				t.Errorf("%d cells", cells)
			}
			checkRows(t, s, receiversAt(t, p, 6), check)
		}
	}
}

// checkRows checks the cells of rows that have types, and of those that have none.
func checkRows(t *testing.T, s *reader.Store, r reader.Receivers, check func(reader.Counter)) {
	t.Helper()
	hexagon, err := s.LateType("Hexagon", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Record(hexagon); err != nil {
		t.Fatal(err)
	}
	for i := range r.Len() {
		pointer, count := r.Cells(i)
		check(pointer)
		check(count)
		row, ok := r.Row(i)
		if !ok {
			testarchive.CheckEqual(t, "pointer of an empty row", pointer.Load(), 0)
			continue
		}
		address, ok := row.Type.Address()
		if !ok || address != pointer.Load() || count.Load() != row.Count.Load() {
			t.Errorf("row %d: pointer %#x, its type lies at %#x", i, pointer.Load(), address)
		}
	}
}

func TestPlacesOfNothing(t *testing.T) {
	s := openFixture(t)
	circle, err := s.FindType("Circle", "")
	if err != nil {
		t.Fatal(err)
	}
	_, ok := circle.Address()
	_, none := reader.Type{}.Address()
	if ok || none || (reader.Counter{}).Offset() != 0 {
		t.Error("a place of what has none")
	}
	e := entryAt(t, profileOf(t, s, keyArea), 6)
	r, _ := e.Receivers()
	for name, past := range map[string]func(){
		"cell -1": func() { e.Cell(-1) }, "cell": func() { e.Cell(e.Cells()) },
		"row -1": func() { r.Cells(-1) }, "row": func() { r.Cells(r.Len()) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			past()
		}()
	}
}

// A compiler burns the places of cells into its code: how far they are from the block of
// the method, whose address is in a register.
func ExampleReceivers_Cells() {
	s := openTraining()
	defer s.Close()
	if err := s.Adopt(reader.AdoptOptions{}); err != nil {
		log.Fatal(err)
	}
	p, err := s.Profile(layout.Key{Class: "Main", Name: "sum", Signature: "([LShape;)D"}, layout.CodeAny)
	if err != nil {
		log.Fatal(err)
	}
	if p, err = p.Claim(); err != nil {
		log.Fatal(err)
	}
	e, _ := p.At(12)
	receivers, _ := e.Receivers()
	for i := range receivers.Len() {
		pointer, count := receivers.Cells(i)
		fmt.Printf("cmp [rbx+%d], rax; lock inc [rbx+%d]\n", pointer.Offset()-p.Ref().Offset(),
			count.Offset()-p.Ref().Offset())
	}
	// Output:
	// cmp [rbx+56], rax; lock inc [rbx+64]
	// cmp [rbx+72], rax; lock inc [rbx+80]
}
