package disk

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

// A HeapMerge says what becomes of a number when the same allocations of several runs are united.
type HeapMerge uint8

// The rules of numbers of allocations. Of times and processors of the last allocation, which mean nothing in another
// run, the highest stays.
const (
	HeapSum   HeapMerge = iota
	HeapLeast           // also 0
	HeapMost
)

// HeapFields are the numbers of an allocation, in the order of LLVM's MIBEntryDef.inc and
// of the columns of TableAllocations. Long ones have 8 bytes in a profile of LLVM, the others 4.
// Merge is what becomes of them when runs are merged.
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
		columns = append(columns, wordColumn(f.Name))
	}
	return columns
}

// heapColumns returns the columns of TableAllocationCalls, with which both tables begin.
func heapColumns() []Column {
	return []Column{{"function-id", ColumnWord, FormFunction}, {"stack", ColumnSymbol, FormStack},
		wordColumn("record")}
}
