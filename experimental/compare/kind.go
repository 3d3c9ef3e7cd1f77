package compare

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A kind is a kind of counts with one unit.
type kind uint8

// The kinds. Archives are scored by the first that both count.
const (
	kindEdges          kind = iota // calls of methods, branches, calls: LLVM's counters
	kindBytecodes                  // Jamaica: bytecodes executed
	kindNanoseconds                // processor time of samples
	kindSamples                    // samples taken
	kindCalls                      // calls by callee
	kindCycles                     // processor cycles
	kindReceivers                  // receiver types of calls
	kindTypeChecks                 // types that are checked
	kindIndirectCalls              // LLVM: targets of indirect calls
	kindMemOps                     // LLVM: sizes of memory operations
	kindVTables                    // LLVM: vtables at virtual calls
	kindNativeCalls                // Jamaica: calls of native methods
	kindArrays                     // Jamaica: arrays created
	kindAllocatedBytes             // LLVM: bytes allocated, by stack
	numKinds
)

var kindNames = [numKinds]string{"edges", "bytecodes", "nanoseconds", "samples", "calls", "cycles", "receivers",
	"type_checks", "indirect_calls", "mem_ops", "vtables", "native_calls", "new_arrays", "allocated_bytes"}

func (k kind) String() string { return kindNames[k] }

// unitKinds are the kinds of counts by unit, if nothing else is known of them.
var unitKinds = [disk.NumCountUnits]kind{
	layout.UnitExecutions: kindEdges, layout.UnitBytecodes: kindBytecodes, layout.UnitCycles: kindCycles,
	layout.UnitNativeCalls: kindNativeCalls, layout.UnitArrays: kindArrays, layout.UnitPointSamples: kindSamples,
	layout.UnitNanoseconds: kindNanoseconds,
}

// valueKinds are the kinds of ValueSite entries by their Sub.
var valueKinds = map[layout.Sub]kind{
	layout.SubIndirectCall: kindIndirectCalls, layout.SubMemOpSize: kindMemOps, layout.SubVTable: kindVTables,
}

// perKind is an amount of each kind.
type perKind [numKinds]float64

// addShares adds the shares of part in sum.
func (p *perKind) addShares(part, sum *perKind) {
	for k := range numKinds {
		p[k] += share(part[k], sum[k])
	}
}

// eachKind calls yield with the kinds whose amount is not 0 in a or b.
func eachKind(a, b *perKind, yield func(kind)) {
	for k := range numKinds {
		if a[k] > 0 || b[k] > 0 {
			yield(k)
		}
	}
}
