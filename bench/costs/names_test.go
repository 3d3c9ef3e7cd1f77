package main

import (
	"testing"

	"github.com/profarc/profarc/layout"
)

// TestEqualNamesHaveOneID checks the attack against the ids of the library.
func TestEqualNamesHaveOneID(t *testing.T) {
	n := namer{kind: namesEqualID}
	for _, class := range []string{"", "A", "java/lang/Strin"} {
		first := layout.Key{Class: class, Name: n.name(class, 0)}
		for i := range 1000 {
			k := layout.Key{Class: class, Name: n.name(class, i)}
			if i > 0 && k == first || k.ID(layout.DomainHotSpot) != first.ID(layout.DomainHotSpot) {
				t.Fatalf("%q, %q: id %x, the first has %x", class, k.Name, k.ID(layout.DomainHotSpot),
					first.ID(layout.DomainHotSpot))
			}
		}
	}
}
