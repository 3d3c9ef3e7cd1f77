package disk

import "github.com/profarc/profarc/layout"

// A HeapFrame is a frame of the stack of an allocation, in a symbol of TableAllocations or
// TableAllocationCalls. A symbol has them one after the other, the innermost first, in HeapFrameSize bytes each:
//
//	u64 function   LLVM's id of the function
//	u32 line       from the first line of the function
//	u32 column
//	u8  inline     1 if it is inlined into the function of the next frame
type HeapFrame struct {
	Function     uint64
	Line, Column uint32
	Inline       bool
}

// HeapFrameSize is the size in bytes of a frame.
const HeapFrameSize = 17

// AppendHeapFrame appends an encoded frame.
func AppendHeapFrame(b []byte, f HeapFrame) []byte {
	b = le.AppendUint64(b, f.Function)
	b = le.AppendUint32(b, f.Line)
	b = le.AppendUint32(b, f.Column)
	if f.Inline {
		return append(b, 1)
	}
	return append(b, 0)
}

// HeapFrames decodes the frames of a symbol; ok is false if its bytes are no frames.
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

// HeapFields are the numbers of an allocation, in the order of LLVM's MIBEntryDef.inc and
// of the columns of TableAllocations. Long ones have 8 bytes in a profile of LLVM, the others 4.
var HeapFields = [...]struct {
	Name string
	Long bool
}{
	{"allocations", false},
	{"accesses", true}, {"least-accesses", true}, {"most-accesses", true},
	{"bytes", true}, {"least-bytes", false}, {"most-bytes", false},
	{"allocated-at", false}, {"freed-at", false},
	{"lifetime", true}, {"least-lifetime", false}, {"most-lifetime", false},
	{"allocating-processor", false}, {"freeing-processor", false},
	{"migrated", false}, {"overlaps", false}, {"same-allocating-processor", false}, {"same-freeing-processor", false},
	{"type-id", true},
	{"access-density", true}, {"least-access-density", false}, {"most-access-density", false},
	{"lifetime-access-density", true}, {"least-lifetime-access-density", false}, {"most-lifetime-access-density", false},
	{"histogram-size", false}, {"histogram", true},
}

// The columns of TableAllocations; HeapFields follow from the last on.
const (
	AllocationFunction = iota
	AllocationStack
	AllocationRecord // the place of the function in the profile, from 1
	AllocationFields
)

// Fields of an allocation, as indices of HeapFields.
const (
	HeapAllocations = 0
	HeapBytes       = 4
	HeapLifetime    = 9  // milliseconds
	HeapDensity     = 22 // of accesses over the lifetime, in hundredths
)

// allocationColumns returns the columns of TableAllocations.
func allocationColumns() []Column {
	columns := heapColumns()
	for _, f := range HeapFields {
		columns = append(columns, word(f.Name))
	}
	return columns
}

// heapColumns returns the columns of TableAllocationCalls, with which both tables begin.
func heapColumns() []Column {
	return []Column{{"function-id", layout.ColumnWord, FormFunction}, {"stack", layout.ColumnSymbol, FormStack},
		word("record")}
}
