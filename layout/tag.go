package layout

import "fmt"

// A Tag is the kind of a profile entry. Tags 1 to 13 and the words of their entries are HotSpot's, as defined in
// src/hotspot/share/oops/methodData.hpp of JDK 17 to 25. Tags from 64 are defined by this format, and tags from
// TagProducer by the producer. 0 is invalid.
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

// The wide tags of this format.
const (
	TagCounters   Tag = 64 // array of counters
	TagValueSite  Tag = 65 // values seen at a site, with their counts
	TagBitmap     Tag = 66 // array of bits
	TagSuccessors Tag = 67 // successors of a branch, with index and count
	TagReceivers  Tag = 68 // any number of receiver types, with their counts
	TagCallees    Tag = 69 // called methods, with their counts
	TagCount      Tag = 70 // one counter; Sub is the counted event
)

var tagNames = map[Tag]string{
	TagBit:             "Bit",
	TagCounter:         "Counter",
	TagJump:            "Jump",
	TagReceiverType:    "ReceiverType",
	TagVirtualCall:     "VirtualCall",
	TagRet:             "Ret",
	TagBranch:          "Branch",
	TagMultiBranch:     "MultiBranch",
	TagArgInfo:         "ArgInfo",
	TagCallType:        "CallType",
	TagVirtualCallType: "VirtualCallType",
	TagParametersType:  "ParametersType",
	TagSpeculativeTrap: "SpeculativeTrap",
	TagCounters:        "Counters",
	TagValueSite:       "ValueSite",
	TagBitmap:          "Bitmap",
	TagSuccessors:      "Successors",
	TagReceivers:       "Receivers",
	TagCallees:         "Callees",
	TagCount:           "Count",
	71:                 "Undecoded", // disk.TagUndecoded
}

// String returns the name of the tag in docs/format.md.
func (t Tag) String() string {
	if name, ok := tagNames[t]; ok {
		return name
	}
	return fmt.Sprintf("tag(%d)", uint8(t))
}

// EntryFlags are the flags of an entry.
type EntryFlags uint8

// EntryNullSeen is the flag of a type check that saw a null.
const EntryNullSeen EntryFlags = 1 << 0

// EntryTraps is the traps word of an entry, HotSpot's DataLayout::_traps. It has the reason of the traps at the point,
// 0 if there were none, and EntryTrapRecompiled.
type EntryTraps uint32

// EntryTrapRecompiled is the flag of a traps word that the method was recompiled after a trap.
const EntryTrapRecompiled EntryTraps = 1 << 31

// A Sub refines the tag of a wide entry. The meaning of a value depends on the tag.
type Sub uint16

// The values of Sub by tag. TagValueSite has LLVM's value kinds.
const (
	// TagReceivers
	SubVirtualCall Sub = 1 // receivers of a call
	SubTypeCheck   Sub = 2 // operands of instanceof, checkcast or aastore

	// TagSuccessors
	SubConditional Sub = 1 // if or switch

	// TagValueSite
	SubIndirectCall Sub = 0 // values are ids of called functions
	SubMemOpSize    Sub = 1 // values are sizes in bytes
	SubVTable       Sub = 2 // values are ids of vtables

	// TagCount
	SubCalls       Sub = 1 // calls of the method
	SubBytecodes   Sub = 2 // bytecodes executed
	SubCycles      Sub = 3 // processor cycles
	SubNativeCalls Sub = 4 // calls of a native method
	SubNewArrays   Sub = 5 // arrays created at the point
	SubSamples     Sub = 6 // samples taken at the point
	SubNanoseconds Sub = 8 // processor time of the samples taken at the point, in nanoseconds
)

// A CountUnit is the unit of a count. It is 0 for executions (calls, branches, types seen), 1 for bytecodes, 2 for
// processor cycles, 3 for calls of native methods, 4 for arrays created, 5 for samples at a point, and 6 for
// nanoseconds of processor time. Only counts with equal units can be added.
type CountUnit uint8

var unitNames = [...]string{"counts", "bytecodes", "cycles", "native calls", "new arrays", "point samples",
	"nanoseconds"}

func (u CountUnit) String() string { return unitNames[u] }
