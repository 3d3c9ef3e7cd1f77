package layout

// A CountUnit is what counts are of. Only counts of one unit can be added up.
type CountUnit uint8

// The units.
const (
	UnitExecutions   CountUnit = iota // calls, branches, types met: how often something ran
	UnitBytecodes                     // bytecodes executed
	UnitCycles                        // processor cycles
	UnitNativeCalls                   // calls of native methods
	UnitArrays                        // arrays created
	UnitPointSamples                  // samples taken at a point
	NumCountUnits
)

var unitNames = [NumCountUnits]string{"counts", "bytecodes", "cycles", "native calls", "arrays", "point samples"}

func (u CountUnit) String() string { return unitNames[u] }

// Inclusive reports whether what a method counts is in the counts of its callers
// too, so that the counts of several methods must not be added up.
func (u CountUnit) Inclusive() bool { return u == UnitCycles }

var countUnits = map[uint16]CountUnit{SubBytecodes: UnitBytecodes, SubCycles: UnitCycles, SubNativeCalls: UnitNativeCalls,
	SubNewArrays: UnitArrays, SubSamples: UnitPointSamples}

// CountUnit is what an entry counts.
func (e Entry) CountUnit() CountUnit {
	if e.Tag() != TagCount {
		return UnitExecutions
	}
	return countUnits[e.Sub()]
}
