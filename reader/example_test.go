package reader_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// training returns the archive of a training run: how often String.length was
// called, and for which shapes Shape.area.
func training() []byte {
	var params layout.Params
	params.TypeProfileWidth = 2
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: params})
	p := b.Profile(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"}, 0)
	p.Invocations(61205)
	p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: 61000, NotTaken: 205})
	mustDone(p)
	p = b.Profile(layout.Key{Class: "Main", Name: "sum", Signature: "([LShape;)D"}, 0)
	p.VirtualCall(builder.At{Bci: 12}, builder.Others{},
		builder.Row{Type: b.Type(builder.TypeKey{Name: "Circle"}), Count: 700})
	mustDone(p)
	data, _, err := b.Bytes()
	if err != nil {
		log.Fatal(err)
	}
	return data
}

func openTraining() *reader.Store {
	m, err := archive.FromBytes("training.parc", training(), archive.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return reader.New(m)
}

func Example() {
	s := openTraining() // a program calls reader.Open("app.parc", archive.Options{})
	defer s.Close()
	m, err := s.Find(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"})
	if err != nil {
		log.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		log.Fatal(err)
	}
	if c, ok := p.Invocations(); ok {
		fmt.Println("called", c.Load(), "times")
	}
	for e := range p.Entries() {
		if b, ok := e.Branch(); ok {
			fmt.Printf("%s at %d: taken %d, not taken %d\n", e.Tag(), e.Point(), b.Taken.Load(), b.NotTaken.Load())
		}
	}
	_, err = s.Find(layout.Key{Class: "java/lang/String", Name: "unheard", Signature: "()V"})
	fmt.Println(errors.Is(err, reader.ErrNotFound))
	// Output:
	// called 61205 times
	// Branch at 3: taken 61000, not taken 205
	// true
}

// A start-up that asks for many methods asks for all at once: in a large archive
// the memory of their look-ups is waited for together.
func ExampleStore_ProfileBatch() {
	s := openTraining()
	defer s.Close()
	keys := []layout.Key{
		{Class: "java/lang/String", Name: "length", Signature: "()I"},
		{Class: "java/lang/String", Name: "unheard", Signature: "()V"},
		{Class: "Main", Name: "sum", Signature: "([LShape;)D"},
	}
	profiles := make([]reader.Profile, len(keys))
	hits, err := s.ProfileBatch(keys, nil, profiles)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(hits, "of", len(keys), "are known")
	for i, p := range profiles {
		fmt.Println(keys[i].Name, p.Valid())
	}
	// Output:
	// 2 of 3 are known
	// length true
	// unheard false
	// sum true
}

// An adopted profile goes on counting where the training run left off.
func ExampleProfile_Claim() {
	s := openTraining()
	defer s.Close()
	if err := s.Adopt(reader.AdoptOptions{}); err != nil {
		log.Fatal(err)
	}
	m, err := s.Find(layout.Key{Class: "Main", Name: "sum", Signature: "([LShape;)D"})
	if err != nil {
		log.Fatal(err)
	}
	trained, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		log.Fatal(err)
	}
	p, err := trained.Claim()
	if err != nil {
		log.Fatal(err)
	}
	hexagon, err := s.LateType("Hexagon", "") // the training run had none
	if err != nil {
		log.Fatal(err)
	}
	e, _ := p.At(12)
	receivers, _ := e.Receivers()
	for range 3 {
		if _, err := receivers.Record(hexagon); err != nil {
			log.Fatal(err)
		}
	}
	for row := range receivers.All() {
		name, _ := row.Type.Name()
		fmt.Printf("%s: %d, trained %d\n", name, row.Count.Load(), row.Count.Trained())
	}
	// Output:
	// Circle: 700, trained 700
	// Hexagon: 3, trained 0
}

// A type of the training run must not be acted on before it is loaded.
func ExampleStore_Bind() {
	s := openTraining()
	defer s.Close()
	m, err := s.Find(layout.Key{Class: "Main", Name: "sum", Signature: "([LShape;)D"})
	if err != nil {
		log.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		log.Fatal(err)
	}
	inline := func() {
		e, _ := p.At(12)
		receivers, _ := e.Receivers()
		total := receivers.Other().Load()
		for row := range receivers.All() { // also of classes that are not loaded
			total += row.Count.Load()
		}
		for row := range receivers.Bound() {
			if 10*row.Count.Load() > 9*total {
				class, _ := s.Binding(row.Type)
				fmt.Printf("inline class %d\n", class)
				return
			}
		}
		fmt.Println("nothing to inline yet")
	}
	inline()
	circle, err := s.FindType("Circle", "")
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Bind(circle, 0x2a); err != nil { // the VM loads the class
		log.Fatal(err)
	}
	inline()
	// Output:
	// nothing to inline yet
	// inline class 42
}
