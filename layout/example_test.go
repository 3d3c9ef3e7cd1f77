package layout_test

import (
	"fmt"

	"github.com/profarc/profarc/layout"
)

// The id of a method depends on its key and the domain alone, so that a program can
// compute it before it opens an archive.
func ExampleKey_ID() {
	k := layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"}
	fmt.Printf("%016x\n", k.ID(layout.DomainHotSpot))
	fmt.Printf("%016x\n", layout.Key{Name: "main"}.ID(layout.DomainLLVMIR))
	// Output:
	// bc088724a8bfe4aa
	// db956436e78dd5fa
}

// Jamaica spells a whole signature in the name.
func ExampleKey_Split() {
	k := layout.Key{Name: "java/nio/B.m()V"}.Split(layout.DomainJamaica)
	fmt.Println(k.Class, k.Name, k.Signature)
	// Output: java/nio/B m ()V
}
