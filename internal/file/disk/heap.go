package disk

import "encoding/binary"

// A HeapFrame is a frame of an allocation's stack. A symbol in TableAllocations or TableAllocationCalls has all
// frames, the innermost first, in HeapFrameSize bytes each:
//
//	u64 function   LLVM's id of the function
//	u32 line       relative to the first line of the function
//	u32 column
//	u8  inline     1 if inlined into the function of the next frame
type HeapFrame struct {
	Function     uint64
	Line, Column uint32
	Inline       bool
}

// HeapFrameSize is the encoded size of a frame in bytes.
const HeapFrameSize = 17

func AppendHeapFrame(b []byte, f HeapFrame) []byte {
	b, _ = binary.Append(b, le, f) // cannot fail for such a struct
	return b
}

func HeapFrames(symbol string) (frames []HeapFrame, ok bool) {
	b := []byte(symbol)
	for ; len(b) >= HeapFrameSize; b = b[HeapFrameSize:] {
		frames = append(frames, HeapFrame{le.Uint64(b), le.Uint32(b[8:]), le.Uint32(b[12:]), b[16] != 0})
		if b[16] > 1 {
			return nil, false
		}
	}
	return frames, len(b) == 0
}

// A HeapMerge is the rule for merging a field of one allocation over several runs.
type HeapMerge uint8

// The merge rules. Fields about the last allocation, such as its time, have no meaning in another run and keep the
// maximum.
const (
	HeapSum   HeapMerge = iota
	HeapLeast           // minimum; 0 counts
	HeapMost
)

// HeapFields are the fields of an allocation, in the order of LLVM's MIBEntryDef.inc and of the columns of
// TableAllocations. In an LLVM profile, Long fields have 8 bytes and the others 4.
var HeapFields = [...]struct {
	Name  string
	Long  bool
	Merge HeapMerge
}{
	{"allocations", false, HeapSum},
	{"accesses", true, HeapSum}, {"least-accesses", true, HeapLeast}, {"most-accesses", true, HeapMost},
	{"bytes", true, HeapSum}, {"least-bytes", false, HeapLeast}, {"most-bytes", false, HeapMost},
	{"allocated-at", false, HeapMost}, {"freed-at", false, HeapMost},
	{"lifetime", true, HeapSum}, {"least-lifetime", false, HeapLeast}, {"most-lifetime", false, HeapMost},
	{"allocating-processor", false, HeapMost}, {"freeing-processor", false, HeapMost},
	{"migrated", false, HeapSum}, {"overlaps", false, HeapSum}, {"same-allocating-processor", false, HeapSum},
	{"same-freeing-processor", false, HeapSum},
	{"type-id", true, HeapMost},
	{"access-density", true, HeapSum}, {"least-access-density", false, HeapLeast},
	{"most-access-density", false, HeapMost},
	{"lifetime-access-density", true, HeapSum}, {"least-lifetime-access-density", false, HeapLeast},
	{"most-lifetime-access-density", false, HeapMost},
	{"histogram-size", false, HeapMost}, {"histogram", true, HeapMost},
}

// The columns of TableAllocations. HeapFields begin at the last one.
const (
	AllocationFunction = iota
	AllocationStack
	AllocationRecord // position of the function in the profile, from 1
	AllocationFields
)

// Indices in HeapFields.
const (
	HeapAllocations = 0
	HeapBytes       = 4
	HeapLifetime    = 9  // milliseconds
	HeapDensity     = 22 // accesses over the lifetime, in hundredths
)

// heapColumns are the columns before HeapFields.
const heapColumns = "function-id:function stack:stack record"

func allocationColumns() []Column {
	columns := columnsOf(heapColumns)
	for _, f := range HeapFields {
		columns = append(columns, columnsOf(f.Name)...)
	}
	return columns
}
