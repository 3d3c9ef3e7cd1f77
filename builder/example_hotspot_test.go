package builder_test

import (
	"fmt"
	"log"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// A VM whose profiles are HotSpot's records its entries, each at a bytecode index, in any order.
func Example_entriesOfHotSpot() {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2}})
	square := b.Type(builder.TypeKey{Name: "Square"})
	p := b.Profile(layout.Key{Class: "Shapes", Name: "sum", Signature: "([LShape;)J"}, 0)
	p.Bit(builder.At{Bci: 1, Flags: layout.EntryNullSeen})
	otherwise, cases := builder.SwitchCase{Count: 2}, []builder.SwitchCase{{Count: 70}, {Count: 9}}
	p.MultiBranch(builder.At{Bci: 4}, otherwise, cases...)
	p.VirtualCallType(builder.At{Bci: 30}, builder.Others{Count: 1}, []builder.Row{{Type: square, Count: 80}},
		builder.CallTypes{Args: []builder.Slot{{Stack: 0, Type: builder.TypeWord{Type: square, NullSeen: true}}}})
	p.Branch(builder.At{Bci: 38}, builder.Branch{Taken: 3, NotTaken: 81})
	p.Jump(builder.At{Bci: 44}, 81, 0)
	if err := p.Done(); err != nil {
		log.Fatal(err)
	}
	sum, err := open(b).Profile(layout.Key{Class: "Shapes", Name: "sum", Signature: "([LShape;)J"}, layout.CodeAny)
	if err != nil {
		log.Fatal(err)
	}
	for e := range sum.Entries() {
		fmt.Println(e.Point(), e.Tag())
	}
	// Output:
	// 1 Bit
	// 4 MultiBranch
	// 30 VirtualCallType
	// 38 Branch
	// 44 Jump
}
