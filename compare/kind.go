package compare

import "github.com/profarc/profarc/layout"

// A Kind is a kind of counts that have one unit, so that they can be added up.
type Kind uint8

// The kinds. The first that both archives have counts of is the one they are
// scored by.
const (
	Edges         Kind = iota // calls of methods, branches, calls: LLVM's counters
	Bytecodes                 // Jamaica: bytecodes executed
	Calls                     // calls by callee
	Cycles                    // processor cycles
	Samples                   // samples taken
	Receivers                 // receiver types of calls
	TypeChecks                // types that are checked
	IndirectCalls             // LLVM: targets of indirect calls
	MemOps                    // LLVM: sizes of memory operations
	VTables                   // LLVM: vtables at virtual calls
	NativeCalls               // Jamaica: calls of native methods
	Arrays                    // Jamaica: arrays created
	numKinds
)

var kindNames = [numKinds]string{"edges", "bytecodes", "calls", "cycles", "samples", "receivers", "type_checks",
	"indirect_calls", "mem_ops", "vtables", "native_calls", "arrays"}

func (k Kind) String() string { return kindNames[k] }

// countKinds are the kinds of Count entries by their Sub.
var countKinds = map[uint16]Kind{
	layout.SubCalls: Edges, layout.SubBytecodes: Bytecodes, layout.SubCycles: Cycles,
	layout.SubNativeCalls: NativeCalls, layout.SubNewArrays: Arrays, layout.SubSamples: Samples,
}

// valueKinds are the kinds of ValueSite entries by their Sub.
var valueKinds = map[uint16]Kind{
	layout.SubIndirectCall: IndirectCalls, layout.SubMemOpSize: MemOps, layout.SubVTable: VTables,
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
