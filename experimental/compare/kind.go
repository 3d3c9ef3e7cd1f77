package compare

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

type kind uint8

// The kinds. The first kind that both archives count decides the score.
const (
	kindEdges          kind = iota // LLVM's counters; calls of methods, branches and calls elsewhere
	kindBytecodes                  // bytecodes executed by a JamaicaVM
	kindNanoseconds                // processor time of samples
	kindSamples                    // samples taken
	kindCalls                      // calls by callee
	kindCycles                     // processor cycles
	kindReceivers                  // receiver types of calls
	kindTypeChecks                 // types at type checks
	kindIndirectCalls              // targets of LLVM's indirect calls
	kindMemOps                     // sizes of LLVM's memory operations
	kindVTables                    // vtables at LLVM's virtual calls
	kindNativeCalls                // calls of native methods of a JamaicaVM
	kindArrays                     // arrays that a JamaicaVM created
	kindAllocatedBytes             // allocated bytes by stack, of LLVM's memory profiles
	numKinds
)

var kindNames = [numKinds]string{"edges", "bytecodes", "nanoseconds", "samples", "calls", "cycles", "receivers",
	"type_checks", "indirect_calls", "mem_ops", "vtables", "native_calls", "new_arrays", "allocated_bytes"}

func (k kind) String() string { return kindNames[k] }

// unitKinds maps units to kinds, for counts about which nothing else is known.
var unitKinds = [disk.NumCountUnits]kind{
	disk.UnitExecutions: kindEdges, disk.UnitBytecodes: kindBytecodes, disk.UnitCycles: kindCycles,
	disk.UnitNativeCalls: kindNativeCalls, disk.UnitArrays: kindArrays, disk.UnitPointSamples: kindSamples,
	disk.UnitNanoseconds: kindNanoseconds,
}

// valueKinds maps the sub of ValueSite entries to kinds.
var valueKinds = map[layout.Sub]kind{
	layout.SubIndirectCall: kindIndirectCalls, layout.SubMemOpSize: kindMemOps, layout.SubVTable: kindVTables,
}

type kindAmounts [numKinds]float64

func (p *kindAmounts) addShares(part, sum *kindAmounts) {
	for k := range numKinds {
		p[k] += shareOfSum(part[k], sum[k])
	}
}

func eachKind(a, b *kindAmounts, yield func(kind)) {
	for k := range numKinds {
		if a[k] > 0 || b[k] > 0 {
			yield(k)
		}
	}
}
