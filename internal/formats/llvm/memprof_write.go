package llvm

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/reader"
)

type heapProfile struct {
	version      int
	records      []storedRecord
	stacks       []string       // distinct stacks of encoded frames
	stackNumbers map[string]int // index in stacks, by stack
	schema       []int          // indices of disk.HeapFields
	unsound      int            // rows whose stack cannot be decoded
}

type storedRecord struct {
	function, rank uint64
	allocations    []storedAllocation
	calls          []int // indices in stacks
}

type storedAllocation struct {
	stack  int
	fields [len(disk.HeapFields)]uint64
}

// readHeap returns the memory profiles of an archive for an indexed file of the given version, or nil. Functions have
// the order of the imported file.
func readHeap(s *reader.Store, fileVersion int) (h *heapProfile, err error) {
	h = &heapProfile{stackNumbers: map[string]int{}}
	byFunction := map[uint64]*storedRecord{}
	err = errors.Join(
		h.eachTableRow(s, disk.TableAllocations, byFunction, func(r *storedRecord, t *reader.Table, row, stack int) {
			a := storedAllocation{stack: stack}
			for i := range a.fields {
				a.fields[i] = t.Cell(disk.AllocationFields+i, row)
			}
			r.allocations = append(r.allocations, a)
		}),
		h.eachTableRow(s, disk.TableAllocationCalls, byFunction, func(r *storedRecord, _ *reader.Table, _, stack int) {
			r.calls = append(r.calls, stack)
		}))
	if err != nil || len(byFunction) == 0 {
		return nil, err
	}
	for _, r := range byFunction {
		h.records = append(h.records, *r)
	}
	slices.SortFunc(h.records, func(a, b storedRecord) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.function, b.function))
	})
	properties, err := entries.Properties(s)
	for _, value := range properties[disk.PropertyMemProf] {
		if n, notNumber := strconv.Atoi(value); notNumber == nil && n <= memProfNewest {
			h.version = max(h.version, n)
		}
	}
	h.schema = h.chooseFields(fileVersion)
	return h, err
}

// eachTableRow calls add for the rows of a table, with the record of the row's function and the index of its stack.
func (h *heapProfile) eachTableRow(s *reader.Store, kind disk.TableKind, records map[uint64]*storedRecord,
	add func(r *storedRecord, t *reader.Table, row, stack int)) error {
	t, err := s.TableOrEmpty(kind)
	if err != nil {
		return err
	}
	for row := range t.Rows {
		stack := ""
		if t.Cell(disk.AllocationStack, row) != 0 {
			stack, err = t.Text(disk.AllocationStack, row)
			if err != nil {
				return err
			}
		}
		if _, ok := disk.HeapFrames(stack); !ok {
			h.unsound++
			continue
		}
		function := t.Cell(disk.AllocationFunction, row)
		place := t.Cell(disk.AllocationRecord, row)
		r := records[function]
		if r == nil {
			r = &storedRecord{function: function, rank: place}
			records[function] = r
		}
		r.rank = min(r.rank, place)
		add(r, &t, row, h.internStack(stack))
	}
	return nil
}

func (h *heapProfile) internStack(stack string) int {
	n, known := h.stackNumbers[stack]
	if !known {
		n = len(h.stacks)
		h.stackNumbers[stack], h.stacks = n, append(h.stacks, stack)
	}
	return n
}

// shortSchema lists the fields that llvm-profdata writes by default from version 2 on.
var shortSchema = []int{disk.HeapAllocations, disk.HeapBytes, disk.HeapLifetime, disk.HeapDensity}

// chooseFields returns the fields to write. These are the short ones if no allocation has others. Otherwise they are
// all fields that LLVM of the file's version knows.
func (h *heapProfile) chooseFields(fileVersion int) []int {
	if h.version >= 2 && !slices.ContainsFunc(h.records, storedRecord.needsAllFields) {
		return shortSchema
	}
	n := len(disk.HeapFields)
	if fileVersion < sinceHistograms {
		n -= 2
	}
	return lists.Below(n)
}

const sinceHistograms = 12

func (r storedRecord) needsAllFields() bool {
	for _, a := range r.allocations {
		for i, v := range a.fields {
			if v != 0 && !slices.Contains(shortSchema, i) {
				return true
			}
		}
	}
	return false
}

type heapEncoder struct {
	*heapProfile
	b    []byte
	base int64 // offset of the section in the file

	frames  []string // distinct encoded frames
	ids     []uint64 // ids of frames
	byFrame map[string]int
	popular []int    // version 3: number of stacks that have the frame
	keys    []uint64 // ids (version 2) or array indices (version 3), by stack
}

// encodeSection encodes the memory profiles for an offset in the file. memprof_read.go describes the layout.
func (h *heapProfile) encodeSection(base int64) []byte {
	e := &heapEncoder{heapProfile: h, base: base, byFrame: map[string]int{}, keys: make([]uint64, len(h.stacks))}
	for _, stack := range h.stacks {
		e.addFrames(stack)
	}
	e.renumberFrames(func(a, b int) int { return cmp.Compare(e.ids[a], e.ids[b]) })
	if h.version > 0 {
		e.appendWord(uint64(h.version))
	}
	offsets := len(e.b)
	e.b = append(e.b, make([]byte, 8*memProfOffsets[h.version])...)
	e.appendWord(uint64(len(h.schema)))
	for _, field := range h.schema {
		e.appendWord(uint64(field) + 1)
	}
	for i, offset := range e.encodeParts() {
		le.PutUint64(e.b[offsets+8*i:], uint64(offset))
	}
	return e.b
}

func (e *heapEncoder) appendWord(v uint64) { e.b = le.AppendUint64(e.b, v) }

// fileOffset returns the file offset of the next appended byte.
func (e *heapEncoder) fileOffset() int64 { return e.base + int64(len(e.b)) }

func (e *heapEncoder) addFrames(stack string) {
	for ; len(stack) > 0; stack = stack[disk.HeapFrameSize:] {
		frame := stack[:disk.HeapFrameSize]
		if _, known := e.byFrame[frame]; !known {
			e.byFrame[frame] = len(e.frames)
			e.frames, e.ids = append(e.frames, frame), append(e.ids, hashFrame(frame))
		}
	}
}

func hashFrame(frame string) (id uint64) {
	b := []byte(frame)
	for _, v := range []uint64{le.Uint64(b), uint64(le.Uint32(b[8:])), uint64(le.Uint32(b[12:])), uint64(b[16])} {
		id ^= v + 0x9e3779b97f4a7c15 + id<<6 + id>>2
	}
	return id
}

// encodeParts encodes the parts after the schema, and returns the offsets for the header.
func (e *heapEncoder) encodeParts() []int64 {
	if e.version == 3 {
		for _, frame := range e.orderByPopularity() {
			e.b = append(e.b, frame...)
		}
		array := e.fileOffset()
		e.appendStackArray()
		records := e.fileOffset()
		return []int64{array, records, e.appendRecordTable()}
	}
	for i, stack := range e.stacks {
		e.keys[i] = xxhash.Sum64String(stack) // LLVM uses another hash; readers only look it up
	}
	offsets := []int64{e.appendRecordTable(), e.fileOffset()}
	offsets = append(offsets, e.appendHashTable(e.ids, false, true, func(i int, b []byte) []byte {
		return append(b, e.frames[i]...)
	}))
	if e.version == 2 {
		offsets = append(offsets, e.fileOffset(), 0)
		offsets[len(offsets)-1] = e.appendStackTable()
	}
	return offsets
}

// appendStackTable encodes the hash table of stacks in version 2, and returns the offset of its buckets.
func (e *heapEncoder) appendStackTable() int64 {
	order := lists.Below(len(e.stacks))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(e.keys[a], e.keys[b]) })
	keys := lists.Map(order, func(stack int) uint64 { return e.keys[stack] })
	return e.appendHashTable(keys, false, false, func(i int, b []byte) []byte {
		return e.appendFrameIDs(b, e.stacks[order[i]])
	})
}

func (e *heapEncoder) appendFrameIDs(b []byte, stack string) []byte {
	for ; len(stack) > 0; stack = stack[disk.HeapFrameSize:] {
		b = le.AppendUint64(b, e.ids[e.byFrame[stack[:disk.HeapFrameSize]]])
	}
	return b
}

// appendHashTable encodes a hash table, and returns the offset of its buckets. With keepOrder the items stay in the
// order of keys.
func (e *heapEncoder) appendHashTable(keys []uint64, laid, keyLength bool, data func(i int, b []byte) []byte) int64 {
	t := newChainedTable(keys, laid)
	offsets := make([]int64, len(t.heads))
	for bucket, item := range t.heads {
		if item == noItem {
			continue
		}
		offsets[bucket] = e.fileOffset()
		start := len(e.b)
		n := uint16(0)
		e.b = append(e.b, 0, 0)
		for ; item != noItem; item = t.next[item] {
			e.appendTableItem(keys[item], keyLength, func(b []byte) []byte { return data(int(item), b) })
			n++
		}
		le.PutUint16(e.b[start:], n)
	}
	e.b = append(e.b, make([]byte, disk.AlignUp(e.fileOffset(), 8)-e.fileOffset())...)
	at := e.fileOffset()
	e.appendWord(uint64(len(offsets)))
	e.appendWord(uint64(len(keys)))
	for _, offset := range offsets {
		e.appendWord(uint64(offset))
	}
	return at
}

func (e *heapEncoder) appendTableItem(key uint64, keyLength bool, data func([]byte) []byte) {
	e.appendWord(key) // hash of the key
	if keyLength {
		e.appendWord(8)
	}
	size := len(e.b)
	e.appendWord(0)
	e.appendWord(key)
	start := len(e.b)
	e.b = data(e.b)
	le.PutUint64(e.b[size:], uint64(len(e.b)-start))
}

func (e *heapEncoder) appendRecordTable() int64 {
	keys := lists.Map(e.records, func(r storedRecord) uint64 { return r.function })
	return e.appendHashTable(keys, true, true, func(i int, b []byte) []byte { return e.appendRecord(b, &e.records[i]) })
}

func (e *heapEncoder) appendRecord(b []byte, r *storedRecord) []byte {
	b = le.AppendUint64(b, uint64(len(r.allocations)))
	for i := range r.allocations {
		b = e.appendStack(b, r.allocations[i].stack)
		for _, field := range e.schema {
			v := r.allocations[i].fields[field]
			if disk.HeapFields[field].Long {
				b = le.AppendUint64(b, v)
			} else {
				b = le.AppendUint32(b, uint32(min(v, math.MaxUint32)))
			}
		}
	}
	b = le.AppendUint64(b, uint64(len(r.calls)))
	for _, stack := range r.calls {
		b = e.appendStack(b, stack)
	}
	return b
}

func (e *heapEncoder) appendStack(b []byte, stack int) []byte {
	switch e.version {
	case 3:
		return le.AppendUint32(b, uint32(e.keys[stack]))
	case 2:
		return le.AppendUint64(b, e.keys[stack])
	}
	b = le.AppendUint64(b, uint64(len(e.stacks[stack])/disk.HeapFrameSize))
	return e.appendFrameIDs(b, e.stacks[stack])
}

// A popularity holds the number of stacks that contain a frame, and the frame's total depth in them.
type popularity struct{ stacks, depths int }

// orderByPopularity orders the frames as version 3 does: frames in more stacks first, then those nearer to the
// innermost frame.
func (e *heapEncoder) orderByPopularity() []string {
	popular := make([]popularity, len(e.frames))
	for _, stack := range e.stacks {
		for place := 0; len(stack) > 0; place++ {
			p := &popular[e.byFrame[stack[:disk.HeapFrameSize]]]
			p.stacks++
			p.depths += place
			stack = stack[disk.HeapFrameSize:]
		}
	}
	order := e.renumberFrames(func(a, b int) int { // the sort is stable, so ties stay sorted by id
		return cmp.Or(cmp.Compare(popular[b].stacks, popular[a].stacks), cmp.Compare(popular[a].depths, popular[b].depths))
	})
	e.popular = make([]int, len(order))
	for number, i := range order {
		e.popular[number] = popular[i].stacks
	}
	return e.frames
}

// renumberFrames sorts the frames and returns the old numbers in the new order.
func (e *heapEncoder) renumberFrames(compare func(a, b int) int) []int {
	order := lists.Below(len(e.frames))
	slices.SortStableFunc(order, compare)
	frames := make([]string, len(order))
	ids := make([]uint64, len(order))
	for number, i := range order {
		frames[number] = e.frames[i]
		ids[number] = e.ids[i]
		e.byFrame[e.frames[i]] = number
	}
	e.frames, e.ids = frames, ids
	return order
}

// appendStackArray encodes the stacks of version 3 and sets their indices. A stack shares frames near the root with
// the previous stack. The array is built from its end.
func (e *heapEncoder) appendStackArray() {
	var array []uint32
	var before []int // frames of the previous stack, root first
	var places []int // array indices of the frames in before
	for _, stack := range slices.Backward(e.stacksByRoot()) {
		frames := e.framesFromRoot(e.stacks[stack])
		shared := 0
		for shared < min(len(before), len(frames)) && before[shared] == frames[shared] {
			shared++
		}
		places = places[:shared]
		if shared > 0 {
			array = append(array, uint32(places[shared-1]-len(array)))
		}
		for _, frame := range frames[shared:] {
			places = append(places, len(array))
			array = append(array, uint32(frame))
		}
		before = frames
		array = append(array, uint32(len(frames)))
		e.keys[stack] = uint64(len(array) - 1)
	}
	for i := range e.keys {
		e.keys[i] = uint64(len(array)-1) - e.keys[i]
	}
	for _, v := range slices.Backward(array) {
		e.b = le.AppendUint32(e.b, v)
	}
}

func (e *heapEncoder) framesFromRoot(stack string) (frames []int) {
	for ; len(stack) > 0; stack = stack[:len(stack)-disk.HeapFrameSize] {
		frames = append(frames, e.byFrame[stack[len(stack)-disk.HeapFrameSize:]])
	}
	return frames
}

// stacksByRoot returns the stack numbers, sorted from the root by popularity and id of the frames.
func (e *heapEncoder) stacksByRoot() []int {
	frames := lists.Map(e.stacks, e.framesFromRoot)
	order := lists.Below(len(e.stacks))
	slices.SortFunc(order, func(a, b int) int {
		return slices.CompareFunc(frames[a], frames[b], func(x, y int) int {
			return cmp.Or(cmp.Compare(e.popular[x], e.popular[y]), cmp.Compare(e.ids[x], e.ids[y]))
		})
	})
	return order
}
