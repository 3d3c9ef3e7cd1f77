package builder_test

import (
	"context"
	"fmt"
	"log"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// numbat identifies what the points and entries of a VM mean: 16 bytes that its authors
// drew once, and draw anew when bytecodes get other numbers.
var numbat = [16]byte{0x6e, 0x1d, 0x41, 0x0b, 0x93, 0x5a, 0x4c, 0x77, 0x8e, 0x02, 0xd4, 0x5f, 0xa1, 0x3c, 0x60, 0x19}

// operands are the entries of an arithmetic bytecode: what kinds of operands were seen.
var operands = layout.EntryShape{Tag: layout.TagProducer, Name: "Operands", Cells: []layout.CellShape{
	{Name: "hits", Kind: layout.CellCount},
	{Name: "kinds", Kind: layout.CellBits, Bits: []string{"int", "float", "string"}},
	{Name: "longest", Kind: layout.CellMax},
}}

// A VM that is none of those that profarc knows declares what its entries are. A merge
// then unites them as each cell says.
func Example_customEntries() {
	run := func(id byte, hits, kinds, longest uint64) *reader.Store {
		b := builder.New(layout.DomainCustom, builder.Config{Producer: "numbat 1.4", ProducerID: numbat,
			DumpID: [16]byte{id}})
		if err := b.DeclareShape(operands); err != nil {
			log.Fatal(err)
		}
		p := b.Profile(layout.Key{Class: "bench.nb", Name: "sum", Signature: "2"}, 0)
		p.Custom(builder.Custom{Point: 7, Tag: operands.Tag, Cells: []uint64{hits, kinds, longest}})
		if err := p.Done(); err != nil {
			log.Fatal(err)
		}
		return open(b)
	}
	all := builder.New(layout.DomainCustom, builder.Config{ProducerID: numbat})
	for _, s := range []*reader.Store{run(1, 900, 0b001, 3), run(2, 100, 0b100, 12)} {
		if err := merge.Into(context.Background(), all, s, merge.Run{}); err != nil {
			log.Fatal(err)
		}
	}
	m, err := open(all).Find(layout.Key{Class: "bench.nb", Name: "sum", Signature: "2"})
	if err != nil {
		log.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		log.Fatal(err)
	}
	e, _ := p.At(7)
	shape, _ := e.Shape()
	for i, c := range shape.Cells {
		fmt.Print(c.Name, " ", e.Cell(i).Load(), " ")
	}
	fmt.Println()
	// Output: hits 1000 kinds 5 longest 12
}
