package ledger

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A Unit is the unit of an account. Its value is the name that users see.
type Unit = string

// The units of the counts of an archive. The empty Unit marks counts that are derived from others.
const (
	Invocations  Unit = "invocations"   // field of a profile
	Backedges    Unit = "backedges"     // field of a profile
	BranchCounts Unit = "branch counts" // outcomes of branches, switches and returns; calls without receivers
	TypeCounts   Unit = "type counts"   // receivers and checked types, and calls without a profiled receiver
	CallCounts   Unit = "call counts"   // called methods
	BlockCounts  Unit = "block counts"  // counters of LLVM, without marks
	ValueCounts  Unit = "value counts"  // value sites of LLVM
	Calls        Unit = "calls"
	Bytecodes    Unit = "bytecodes"
	Cycles       Unit = "cycles"
	NativeCalls  Unit = "native calls"
	NewArrays    Unit = "new arrays"
	Samples      Unit = "samples"
	Nanoseconds  Unit = "nanoseconds"
	Monitors     Unit = "monitor counts"
	Counts       Unit = "counts" // entries that a producer declares
)

// Units lists the units, in the order in which they are printed.
var Units = []Unit{Invocations, Backedges, BranchCounts, TypeCounts, CallCounts, BlockCounts, ValueCounts, Calls,
	Bytecodes, Cycles, NativeCalls, NewArrays, Samples, Nanoseconds, Monitors, Counts}

// TableUnits has the units of the counts in tables. The count is the last column. All rows of a sampled stack have
// its count.
var TableUnits = map[disk.TableKind]Unit{disk.TableSamples: Samples, disk.TableMonitors: Monitors}

// countUnits has the units of Count entries, by sub. A merge moves the unprofiled count of a type profile to an entry
// of its own.
var countUnits = [...]Unit{layout.SubCalls: Calls, layout.SubBytecodes: Bytecodes, layout.SubCycles: Cycles,
	layout.SubNativeCalls: NativeCalls, layout.SubNewArrays: NewArrays, layout.SubSamples: Samples,
	disk.SubUnprofiled: TypeCounts, layout.SubNanoseconds: Nanoseconds}

// UnitOf returns the unit of the counts of an entry. The edges of a sampled profile repeat its stacks, so they have the
// empty Unit.
func UnitOf(domain layout.Domain, tag layout.Tag, sub layout.Sub) Unit {
	switch tag {
	case layout.TagCounters:
		return BlockCounts
	case layout.TagValueSite:
		return ValueCounts
	case layout.TagCount:
		if int(sub) < len(countUnits) {
			return countUnits[sub]
		}
	case layout.TagCallees:
		if domain != layout.DomainSampled {
			return CallCounts
		}
		return ""
	case layout.TagReceiverType, layout.TagVirtualCall, layout.TagVirtualCallType, layout.TagReceivers:
		return TypeCounts
	case layout.TagCounter, layout.TagJump, layout.TagRet, layout.TagBranch, layout.TagMultiBranch,
		layout.TagCallType, layout.TagSuccessors:
		return BranchCounts
	}
	return Counts
}

// IsMark reports whether a counter of LLVM marks its function as hot or warm and counts nothing.
func IsMark(n uint64) bool { return n > disk.LLVMMaxCount }
