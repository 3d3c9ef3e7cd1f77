package relocate_test

import (
	"encoding/binary"
	"fmt"
	"log"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/relocate"
)

// areas returns the archive of a method that has seen circles and squares.
func areas() []byte {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 2}})
	area := b.Method(layout.Key{Class: "Main", Name: "area", Signature: "(LShape;)D"})
	p := b.ProfileIn(area, 0, profileset.NoContext)
	p.VirtualCall(builder.At{Bci: 12}, builder.Others{},
		builder.Row{Type: b.Type(builder.TypeKey{Name: "Circle"}), Count: 700},
		builder.Row{Type: b.Type(builder.TypeKey{Name: "Square"}), Count: 20})
	if err := p.Done(); err != nil {
		log.Fatal(err)
	}
	data, _, err := b.Bytes()
	if err != nil {
		log.Fatal(err)
	}
	return data
}

// A VM that maps an archive by its own means, at another address, moves the pointers in
// its copy of the region rw.
func Example() {
	const actual = 0x7f00_0000_0000
	file := areas()
	m, err := archive.FromBytes("areas.parc", file, archive.Options{})
	if err != nil {
		log.Fatal(err)
	}
	h := m.Header()
	region := h.Regions[5] // rw
	slots, err := relocate.Open(m, h)
	if err != nil {
		log.Fatal(err)
	}
	original := file[region.Offset:region.End()]
	rw := append([]byte(nil), original...)
	move := relocate.Move{From: h.Base, To: actual, Size: h.FileSize}
	if _, err := slots.ApplyAll(rw, move); err != nil {
		log.Fatal(err)
	}
	for at, err := range slots.Slots(0, region.Size) {
		if err != nil {
			log.Fatal(err)
		}
		before, after := binary.LittleEndian.Uint64(original[at:]), binary.LittleEndian.Uint64(rw[at:])
		fmt.Printf("rw+%d: base + 0x%x, moved to actual + 0x%x\n", at, before-h.Base, after-actual)
	}
	// Output:
	// rw+56: base + 0x340, moved to actual + 0x340
	// rw+72: base + 0x370, moved to actual + 0x370
}

// A writer notes where the pointers of the region rw are; the encoded bitmaps become the region bm.
func ExampleCollector() {
	c := relocate.NewCollector(1 << 16)
	c.Add(64)
	c.Add(4096)
	fmt.Println(c.Count(), "slots take", len(c.Encode(0)), "bytes")
	// Output: 2 slots take 40 bytes
}
