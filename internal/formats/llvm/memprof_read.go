package llvm

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
)

// Layouts of the section of memory profiles in an indexed file. Offsets are from the start of the file.
//
//	0        offsets of: record table, frame payload, frame table; schema, records, frames
//	1        1, then as 0
//	2        2, as 1, offsets of: call-stack payload, call-stack table; as 0, call stacks
//	3        3, offsets of: call-stack array, record payload, record table; schema, frames, array, records
//
// The schema is u64 number, { u64 1-based index into disk.HeapFields }. Records, the frames of versions 0 to 2 and
// call stacks are in hash tables like the functions, with ids of 8 bytes as keys. Call stacks have no key length.
//
//	frame    see disk.HeapFrame
//	record   u64 number, { stack, fields }, u64 number, { stack } of calls
//	stack    0 and 1: u64 number, { u64 id of a frame }; 2: u64 id; 3: u32 index into the array
//	array    of u32: at the index the number of frames, then the frames by number, the innermost first.
//	         A negative word -n continues the frames n words later
const (
	memProfNewest = 3
	memProfOldest = 24 // version 0 starts with an offset, which is at least this
	// stackExpansion is the maximum ratio of decoded stack bytes to section bytes, beyond freeStacks.
	stackExpansion = 32
	freeStacks     = 16 << 20
)

// memProfOffsets is the number of offsets in the header, by version.
var memProfOffsets = [...]int{3, 3, 5, 3}

var errStacks = parse.Exceeded("a memory profile with stacks of more than %d times its size", stackExpansion)

// A memProfReader decodes a section of memory profiles.
type memProfReader struct {
	b       []byte // the section
	base    uint64 // offset of the section in the file
	version int
	schema  []int             // indices of disk.HeapFields
	frames  []byte            // version 3: concatenated encoded frames
	byID    map[uint64][]byte // versions 0 to 2: encoded frames, by id
	stacks  map[uint64][]byte // version 2: ids of frames, by stack id
	array   []byte            // version 3: call-stack array
	known   map[uint64][]byte // decoded stacks of versions 2 and 3, by id or index
	decoded int               // bytes of decoded stacks
}

// A heapRecord has the allocations of one function. The reader reuses it for the next one.
type heapRecord struct {
	function    uint64
	allocations []allocation
	calls       [][]byte // stacks of calls that lead to allocations
}

// An allocation has the encoded frames of its stack, and its statistics by index in disk.HeapFields.
type allocation struct {
	stack  []byte
	fields [len(disk.HeapFields)]uint64
}

// readMemProf reads the section of memory profiles, up to offset end, or to the end of the file if end is 0.
func (x *indexedScan) readMemProf(end int64) error {
	at := x.offset
	b, ok := x.readUpTo(end)
	if !ok {
		return x.cutError("the memory profile")
	}
	m := &memProfReader{b: b, base: uint64(at), known: map[uint64][]byte{}}
	err := m.readProfile(x.addHeapRecord)
	if errors.Is(err, ErrVersion) {
		x.report.Lost.AddLoss(codec.Loss{What: LossMemProf, Count: 1, First: []string{x.base}})
		return nil
	}
	if err != nil {
		return x.malformedError(at, "the memory profile: %v", err)
	}
	if x.report.Allocations > 0 {
		x.b.Internal().AddProperty(disk.PropertyMemProf, strconv.Itoa(m.version))
	}
	return nil
}

// readUpTo consumes the bytes up to offset end, or all of them if end is 0.
func (s *source) readUpTo(end int64) (b []byte, ok bool) {
	if end != 0 {
		return s.readSection(uint64(end - s.offset))
	}
	for {
		piece := s.peekBytes(1)
		if len(piece) == 0 {
			return b, s.readError() == nil
		}
		piece, _ = s.readBytes(s.Buffered())
		b = append(b, piece...)
	}
}

// readProfile calls add for each record. The error for a newer version matches ErrVersion.
func (m *memProfReader) readProfile(add func(*heapRecord) error) error {
	offsets, records, err := m.readHeader()
	if err != nil {
		return err
	}
	if m.version == 3 {
		if offsets[0] < records || offsets[1] < offsets[0] {
			return fmt.Errorf("frames before byte %d of it", offsets[0])
		}
		m.frames = m.b[records:offsets[0]]
		m.array = m.b[offsets[0]:offsets[1]]
		return m.eachRecord(offsets[1], offsets[2], add)
	}
	m.byID = map[uint64][]byte{}
	m.stacks = map[uint64][]byte{}
	if err := m.eachTableItem(offsets[1], offsets[2], true, m.addFrame); err != nil {
		return err
	}
	if m.version == 2 {
		err := m.eachTableItem(offsets[3], offsets[4], false, func(id uint64, b []byte) error {
			m.stacks[id] = b
			return nil
		})
		if err != nil {
			return err
		}
	}
	return m.eachRecord(records, offsets[0], add)
}

func (m *memProfReader) addFrame(id uint64, b []byte) error {
	if len(b) != disk.HeapFrameSize || b[len(b)-1] > 1 {
		return fmt.Errorf("a frame of %d bytes", len(b))
	}
	m.byID[id] = b
	return nil
}

// readHeader decodes the version, the offsets and the schema. It returns offsets relative to the section, and the end
// of the schema.
func (m *memProfReader) readHeader() (offsets []uint64, end uint64, err error) {
	c := heapCursor{b: m.b}
	switch first := c.takeUint64(); {
	case c.short:
		return nil, 0, fmt.Errorf("%d bytes", len(m.b))
	case first >= memProfOldest:
		c.b = m.b
	case first > memProfNewest:
		return nil, 0, ErrVersion
	default:
		m.version = int(first)
	}
	for range memProfOffsets[m.version] {
		offset := c.takeUint64() - m.base
		if offset > uint64(len(m.b)) {
			return nil, 0, fmt.Errorf("an offset of %#x", offset+m.base)
		}
		offsets = append(offsets, offset)
	}
	for range c.takeCount(8) {
		field := c.takeUint64()
		if field < 1 || field > uint64(len(disk.HeapFields)) {
			return nil, 0, fmt.Errorf("field %d of a record, %d are known", field, len(disk.HeapFields))
		}
		m.schema = append(m.schema, int(field-1))
	}
	if c.short {
		return nil, 0, errors.New("no room for its schema")
	}
	return offsets, uint64(len(m.b) - len(c.b)), nil
}

// eachTableItem calls add for each item of a hash table with its payload at an offset.
func (m *memProfReader) eachTableItem(payload, table uint64, keyLength bool,
	add func(key uint64, data []byte) error) error {
	if payload > table {
		return fmt.Errorf("a table at byte %d of it, before what it has", table)
	}
	c := heapCursor{b: m.b[payload:table]}
	for len(c.b) >= 2 {
		items := binary.LittleEndian.Uint16(c.takeBytes(2))
		if items == 0 {
			break // padding
		}
		for range items {
			c.takeBytes(8) // the hash
			if keyLength && c.takeUint64() != 8 {
				return errors.New("a key that is no id")
			}
			size := c.takeUint64()
			key := c.takeUint64()
			data := c.takeBytes(size)
			if c.short {
				return fmt.Errorf("an item of %d bytes where %d are left", size, len(c.b))
			}
			if err := add(key, data); err != nil {
				return err
			}
		}
	}
	if len(c.b) >= disk.Unit {
		return fmt.Errorf("%d bytes behind the items of a table", len(c.b))
	}
	return nil
}

func (m *memProfReader) eachRecord(payload, table uint64, add func(*heapRecord) error) error {
	var r heapRecord
	return m.eachTableItem(payload, table, true, func(key uint64, data []byte) error {
		r = heapRecord{key, r.allocations[:0], r.calls[:0]}
		if err := m.readRecord(&r, data); err != nil {
			return fmt.Errorf("function %#x: %w", key, err)
		}
		return add(&r)
	})
}

func (m *memProfReader) readRecord(r *heapRecord, data []byte) error {
	c := heapCursor{b: data}
	for range c.takeCount(4) {
		a := allocation{}
		var err error
		a.stack, err = m.readStack(&c)
		if err != nil {
			return err
		}
		for _, field := range m.schema {
			a.fields[field] = c.takeField(field)
		}
		r.allocations = append(r.allocations, a)
	}
	for range c.takeCount(4) {
		stack, err := m.readStack(&c)
		if err != nil {
			return err
		}
		r.calls = append(r.calls, stack)
	}
	if c.short || len(c.b) > 0 {
		return fmt.Errorf("a record of %d bytes, %d of them behind it", len(data), len(c.b))
	}
	return nil
}

func (m *memProfReader) readStack(c *heapCursor) (stack []byte, err error) {
	if m.version < 2 {
		stack, err = m.framesWithIDs(c.takeBytes(8 * uint64(c.takeCount(8))))
		return stack, cmp.Or(err, m.countDecoded(len(stack)))
	}
	key := uint64(0)
	if m.version == 2 {
		key = c.takeUint64()
	} else {
		key = c.takeNumber(4)
	}
	stack, ok := m.known[key]
	if ok || c.short {
		return stack, nil
	}
	if m.version == 3 {
		stack, err = m.readArrayStack(key)
	} else if ids, ok := m.stacks[key]; ok {
		stack, err = m.framesWithIDs(ids)
	} else {
		err = fmt.Errorf("stack %#x is not there", key)
	}
	m.known[key] = stack
	return stack, cmp.Or(err, m.countDecoded(len(stack)))
}

// countDecoded adds to the decoded bytes and returns errStacks above the limit.
func (m *memProfReader) countDecoded(n int) error {
	if m.decoded += n; m.decoded > freeStacks+stackExpansion*len(m.b) {
		return errStacks
	}
	return nil
}

func (m *memProfReader) framesWithIDs(ids []byte) (stack []byte, err error) {
	for ; len(ids) >= 8; ids = ids[8:] {
		frame, ok := m.byID[binary.LittleEndian.Uint64(ids)]
		if !ok {
			return nil, fmt.Errorf("frame %#x is not there", binary.LittleEndian.Uint64(ids))
		}
		stack = append(stack, frame...)
		if len(stack) > disk.MaxName {
			return nil, errLongStack
		}
	}
	return stack, nil
}

var errLongStack = parse.Exceeded("a stack with more than %d bytes of frames", disk.MaxName)

// readArrayStack returns the frames of the stack at a word index of the array.
func (m *memProfReader) readArrayStack(at uint64) (stack []byte, err error) {
	word := func() uint32 {
		if at >= uint64(len(m.array)/4) {
			err = fmt.Errorf("a stack at word %d of %d", at, len(m.array)/4)
			return 0
		}
		at++
		return binary.LittleEndian.Uint32(m.array[4*(at-1):])
	}
	left := word()
	if left > disk.MaxName/disk.HeapFrameSize {
		return nil, errLongStack
	}
	for ; left > 0 && err == nil; left-- {
		v := word()
		if v > math.MaxInt32 {
			at += uint64(-v) - 1
			v = word()
		}
		from := uint64(v) * disk.HeapFrameSize
		if err != nil || from+disk.HeapFrameSize > uint64(len(m.frames)) {
			return nil, fmt.Errorf("frame %d of a stack: there are %d, and %d words", v, len(m.frames)/disk.HeapFrameSize,
				len(m.array)/4)
		}
		stack = append(stack, m.frames[from:from+disk.HeapFrameSize]...)
	}
	return stack, err
}

// A heapCursor decodes numbers. At the end of its bytes it returns 0 and sets short.
type heapCursor struct {
	b     []byte
	short bool
}

func (c *heapCursor) takeBytes(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.b, c.short = nil, true
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

// takeNumber decodes a number of size bytes, at most 8.
func (c *heapCursor) takeNumber(size uint64) uint64 {
	var word [8]byte
	copy(word[:], c.takeBytes(size))
	return binary.LittleEndian.Uint64(word[:])
}

func (c *heapCursor) takeUint64() uint64 { return c.takeNumber(8) }

func (c *heapCursor) takeField(i int) uint64 {
	if disk.HeapFields[i].Long {
		return c.takeNumber(8)
	}
	return c.takeNumber(4)
}

// takeCount decodes the number of following items, which have at least each bytes.
func (c *heapCursor) takeCount(each uint64) int {
	n := c.takeUint64()
	if n > uint64(len(c.b))/each {
		c.b, c.short = nil, true
		return 0
	}
	return int(n)
}

func (in *intake) addHeapRecord(r *heapRecord) error {
	in.report.Records++
	set := in.b.Internal()
	for _, a := range r.allocations {
		row := append(in.row[:0], r.function, uint64(in.b.Internal().Symbol(string(a.stack))), uint64(in.report.Records))
		in.row = append(row, a.fields[:]...)
		set.Table(disk.TableAllocations, 0).Row(in.row...)
		in.report.Allocations++
	}
	for _, stack := range r.calls {
		symbol := in.b.Internal().Symbol(string(stack))
		set.Table(disk.TableAllocationCalls, 0).Row(r.function, uint64(symbol), uint64(in.report.Records))
	}
	return in.b.Err()
}
