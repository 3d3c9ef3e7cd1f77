// Command first is the tutorial program of docs/embedding.md. It is a VM with one function that learns from its earlier
// runs.
package main

import (
	"context"
	"log"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/layout"
)

// The ID tells archives of this VM from all others. Draw yours with uuidgen.
var vm = profarc.VM{Name: "tiny VM 1", ID: [16]byte{0xb1, 0x5e, 0x07, 0x9a, 0x2c, 0x44, 0x4d, 0x18, 0xa9, 0x73}}

func main() {
	run, err := profarc.Start("tiny.parc", vm)
	if err != nil {
		log.Print("without profiles: ", err)
	}
	defer run.Close()

	// Do this once for each function, before its first call. The function has a branch at 6 in its bytecodes.
	bytecodes := []byte("load 0; ifneg 6; ...")
	abs := run.Function(layout.Key{Class: "Math", Name: "abs", Signature: "(I)I"}, profarc.CodeID(bytecodes))
	calls := abs.Calls()
	taken, notTaken := abs.Branch(6)
	log.Printf("known so far: %d calls, %d taken, %d not taken", calls.Load(), taken.Load(), notTaken.Load())

	for range 1000 { // the interpreter
		calls.Count1()
		if calls.Load()%3 == 0 {
			taken.Count1()
		} else {
			notTaken.Count1()
		}
	}

	if _, err := run.Dump(context.Background(), "tiny.parc"); err != nil {
		log.Fatal(err)
	}
}
