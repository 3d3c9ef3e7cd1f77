package layout

import "fmt"

// A Tag says what a profile entry records. Tags 1 to 13 are HotSpot's
// (src/hotspot/share/oops/methodData.hpp, the same in JDK 17 to 25), and their
// entries are HotSpot's word for word; tags from 64 are this format's.
type Tag uint8

// HotSpot's tags.
const (
	TagBit             Tag = 1
	TagCounter         Tag = 2
	TagJump            Tag = 3
	TagReceiverType    Tag = 4
	TagVirtualCall     Tag = 5
	TagRet             Tag = 6
	TagBranch          Tag = 7
	TagMultiBranch     Tag = 8
	TagArgInfo         Tag = 9
	TagCallType        Tag = 10
	TagVirtualCallType Tag = 11
	TagParametersType  Tag = 12
	TagSpeculativeTrap Tag = 13
)

// This format's wide tags.
const (
	TagCounters   Tag = 64 // an array of counters
	TagValueSite  Tag = 65 // values seen at a site, with their counts
	TagBitmap     Tag = 66 // an array of bits
	TagSuccessors Tag = 67 // successors of a branch, with index and count
	TagReceivers  Tag = 68 // receiver types, any number of them
	TagCallees    Tag = 69 // called methods, with their counts
	TagCount      Tag = 70 // one counter, Sub says of what
)

// String returns the name of a tag, as docs/format.md spells it.
func (t Tag) String() string {
	if s, ok := SchemaOf(t); ok {
		return s.Name
	}
	return fmt.Sprintf("tag(%d)", uint8(t))
}

// Wide reports whether entries of this tag have the wide header.
func (t Tag) Wide() bool { return t >= 64 }

// Flags of HotSpot's entries.
const (
	EntryNullSeen = 1 << 0 // a null was seen at a type check
)

// EntryTrapRecompiled is the bit of an entry's traps word that says that the
// method was compiled again after the trap; the other bits are the reason.
const EntryTrapRecompiled = 1 << 31

// Flags of wide entries.
const (
	WideNullSeen    = 1 << 0 // TagReceivers: a null was seen
	WideInterpreted = 1 << 1 // TagCount: the producer marked the count as interpreted
)

// Sub of a TagReceivers entry: what the types are of.
const (
	SubVirtualCall = 1 // receivers of a call
	SubTypeCheck   = 2 // operands of instanceof, checkcast or aastore
)

// Sub of a TagSuccessors entry.
const (
	SubConditional = 1 // an if or a switch
	SubReturn      = 2 // jsr/ret: return points
)

// Sub of a TagValueSite entry: LLVM's value kinds.
const (
	SubIndirectCall = 0 // values are ids of called functions
	SubMemOpSize    = 1 // values are sizes in bytes
	SubVTable       = 2 // values are ids of vtables
)

// Sub of a TagCount entry: what is counted.
const (
	SubCalls       = 1 // calls of the method
	SubBytecodes   = 2 // bytecodes executed
	SubCycles      = 3 // processor cycles
	SubNativeCalls = 4 // calls of a native method
	SubNewArrays   = 5 // arrays created at the point
	SubSamples     = 6 // samples taken at the point
	SubUnprofiled  = 7 // calls that HotSpot counts as not profiled, of a Receivers entry that was one of its own
)
