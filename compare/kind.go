package compare

import "github.com/profarc/profarc/layout"

// A Kind is a kind of counts that have one unit, so that they can be added up.
type Kind uint8

// The kinds. The first that both archives have counts of is the one they are
// scored by.
const (
	KindEdges         Kind = iota // calls of methods, branches, calls: LLVM's counters
	KindBytecodes                 // Jamaica: bytecodes executed
	KindCalls                     // calls by callee
	KindCycles                    // processor cycles
	KindSamples                   // samples taken
	KindReceivers                 // receiver types of calls
	KindTypeChecks                // types that are checked
	KindIndirectCalls             // LLVM: targets of indirect calls
	KindMemOps                    // LLVM: sizes of memory operations
	KindVTables                   // LLVM: vtables at virtual calls
	KindNativeCalls               // Jamaica: calls of native methods
	KindArrays                    // Jamaica: arrays created
	numKinds
)

var kindNames = [numKinds]string{"edges", "bytecodes", "calls", "cycles", "samples", "receivers", "type_checks",
	"indirect_calls", "mem_ops", "vtables", "native_calls", "arrays"}

func (k Kind) String() string { return kindNames[k] }

// unitKinds are the kinds of counts of which nothing but the unit is known.
var unitKinds = [layout.NumCountUnits]Kind{
	layout.UnitExecutions: KindEdges, layout.UnitBytecodes: KindBytecodes, layout.UnitCycles: KindCycles,
	layout.UnitNativeCalls: KindNativeCalls, layout.UnitArrays: KindArrays, layout.UnitPointSamples: KindSamples,
}

// valueKinds are the kinds of ValueSite entries by their Sub.
var valueKinds = map[layout.Sub]Kind{
	layout.SubIndirectCall: KindIndirectCalls, layout.SubMemOpSize: KindMemOps, layout.SubVTable: KindVTables,
}

// perKind is an amount of each kind.
type perKind [numKinds]float64

// each calls yield with the amounts of several kinds that are not 0 in one of
// two.
func eachKind(a, b *perKind, yield func(Kind)) {
	for k := range numKinds {
		if a[k] > 0 || b[k] > 0 {
			yield(k)
		}
	}
}
