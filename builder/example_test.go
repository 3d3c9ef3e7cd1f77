package builder_test

import (
	"context"
	"fmt"
	"log"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// training returns the archive of a run in which the call in Shapes.sum had one type of receiver.
func training(run byte, receiver string, count uint64) *reader.Store {
	b := builder.New(layout.DomainHotSpot, builder.Config{
		Params: layout.Params{TypeProfileWidth: 1}, // one row, as a VM may have
		DumpID: [16]byte{run},
	})
	p := b.Profile(layout.Key{Class: "Shapes", Name: "sum", Signature: "()J"}, 0)
	p.VirtualCall(builder.At{Bci: 6}, builder.Others{},
		builder.Row{Type: b.Type(builder.TypeKey{Name: receiver}), Count: count})
	if err := p.Done(); err != nil {
		log.Fatal(err)
	}
	return open(b)
}

// open lays an archive out in memory. Commit would publish it as a file.
func open(b *builder.Builder) *reader.Store {
	data, _, err := b.Bytes()
	if err != nil {
		log.Fatal(err)
	}
	m, err := archive.FromBytes("example", data, archive.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return reader.New(m)
}

// Two runs; the second counts three times. The receivers of both are
// kept, although the VM has one row; narrowing is a last step.
func Example_severalRuns() {
	first, second := training(1, "Square", 100), training(2, "Circle", 50)
	all := builder.New(layout.DomainHotSpot, builder.Config{Params: first.Header().Params})
	if err := merge.Into(context.Background(), all, first, merge.Run{}); err != nil {
		log.Fatal(err)
	}
	if err := merge.Into(context.Background(), all, second, merge.Run{Weight: 3 * layout.WeightOne}); err != nil {
		log.Fatal(err)
	}
	printReceivers(open(all))
	fmt.Println("again:", merge.Into(context.Background(), all, first, merge.Run{}) != nil)
	if _, err := merge.NarrowRows(context.Background(), all, 1); err != nil {
		log.Fatal(err)
	}
	printReceivers(open(all))
	// Output:
	// Circle 150, Square 100, others 0
	// again: true
	// Circle 150, others 100
}

func printReceivers(s *reader.Store) {
	m, err := s.Find(layout.Key{Class: "Shapes", Name: "sum", Signature: "()J"})
	if err != nil {
		log.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		log.Fatal(err)
	}
	e, _ := p.At(6)
	receivers, _ := e.Receivers()
	for row := range receivers.All() {
		name, _ := row.Type.Name()
		fmt.Printf("%s %d, ", name, row.Count.Load())
	}
	fmt.Println("others", receivers.Other().Load())
}
