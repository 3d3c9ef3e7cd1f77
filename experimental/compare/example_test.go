package compare_test

import (
	"context"
	"fmt"
	"log"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// branches returns an archive with one branch and its counts.
func branches(taken, notTaken uint64) *reader.Store {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	p := b.Profile(layout.Key{Class: "Main", Name: "even", Signature: "(I)Z"}, 0)
	p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: taken, NotTaken: notTaken})
	if err := p.Done(); err != nil {
		log.Fatal(err)
	}
	s, err := b.Open("example.parc")
	if err != nil {
		log.Fatal(err)
	}
	return s
}

func ExampleStores() {
	before, after := branches(900, 100), branches(300, 700)
	defer before.Close()
	defer after.Close()
	r, err := compare.Stores(context.Background(), before, after, compare.Options{Top: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the archives agree by %.0f%%\n", 100**r.Score)
	for _, f := range r.Flips.List {
		fmt.Printf("the branch at %d was %s in %.0f%%, and is %s in %.0f%%\n", f.Point, f.A.Way, 100*f.A.Share, f.B.Way,
			100*f.B.Share)
	}
	// Output:
	// the archives agree by 40%
	// the branch at 3 was taken in 90%, and is not taken in 70%
}
