package disk

import (
	"fmt"
	"math/bits"

	"github.com/profarc/profarc/layout"
)

// A Presence is the set of optional fields of a MethodData block. The fields
// follow the block header in the order of their bits.
type Presence uint32

// The optional fields. Counters are counted in place.
const (
	HasLinks       Presence = 1 << iota // u32 context node (0: none), u32 next MethodData of the same method and context
	HasCode                             // u64 code id: which version of the method's code this profile is of
	HasSize                             // u32 size of the code in bytes, u32 size of the VM's own MethodData in bytes
	HasInvocations                      // u64 invocation counter
	HasBackedges                        // u64 backedge counter
	HasInterpreted                      // u64 invocations by the interpreter
	HasHistory                          // u32 decompiles, u32 overflow recompiles, u32 overflow traps, u32 tenure traps
	HasCompile                          // u8 highest level, u8 state, u8 would profile, u8 zero, u16 loops, u16 blocks
	HasEscape                           // u64 flags, u64 args that stay local, u64 args on stack, u64 args returned
	HasTraps                            // u32 n, u32 zero, n bytes (to a multiple of 8): traps taken, by reason
	HasSections                         // u32 units of extra entries, u32 of parameters, u32 of handlers, u32 zero
	HasDirectory                        // u32 entries of the point directory, u32 zero
	presenceEnd
)

// fixedField are the sizes of the fields in bytes; HasTraps has that many at
// least.
var fixedField = [...]int{8, 8, 8, 8, 8, 8, 16, 8, 32, 8, 16, 8}

// The block header, 16 bytes.
const (
	BlockHeaderSize = 16
	blockUnits      = 0  // u32 size of the block in units of 8 bytes
	blockMethod     = 4  // u32 reference to the method record
	blockPresence   = 8  // u32 Presence
	blockData       = 12 // u32 size of the data entries in units of 8 bytes
)

// DirectoryMin is the number of data entries from which on a block has a point
// directory.
const DirectoryMin = 16

// A Block is an overlay on one MethodData block. Its methods are for blocks
// that [ParseBlock] accepted. On bytes that were changed since then a field or
// section that does not fit is as good as absent: nothing panics as long as the
// block has its header.
type Block []byte

// BlockSize is the size in bytes that the block header at the front of b
// claims; b must have [BlockHeaderSize] bytes.
func BlockSize(b []byte) int64 { return int64(le.Uint32(b[blockUnits:])) * Unit }

// ParseBlock checks the geometry of the block that is all of b: header, fields
// and sections must fill it exactly. It does not look at entries. The error
// says what is wrong, without a place.
func ParseBlock(b []byte) (Block, error) {
	if len(b) < BlockHeaderSize || BlockSize(b) != int64(len(b)) {
		return nil, fmt.Errorf("a MethodData block whose size does not fit")
	}
	p := Block(b)
	if p.Presence() >= presenceEnd {
		return nil, fmt.Errorf("unknown presence bits 0x%x", uint32(p.Presence()))
	}
	at := int64(BlockHeaderSize)
	for f := Presence(1); f < presenceEnd; f <<= 1 {
		if p.Presence()&f == 0 {
			continue
		}
		if at+int64(fixedField[bits.TrailingZeros32(uint32(f))]) > int64(len(b)) {
			return nil, fmt.Errorf("optional fields run over the block's end")
		}
		at += p.fieldSize(f, at)
	}
	total := at
	for s := layout.SectionData; s <= layout.SectionDirectory; s++ {
		total += p.sectionSize(s)
	}
	if at > int64(len(b)) || total != int64(len(b)) {
		return nil, fmt.Errorf("fields and sections take %d bytes of a block of %d", total, len(b))
	}
	return p, nil
}

func (b Block) fieldSize(f Presence, at int64) int64 {
	n := int64(fixedField[bits.TrailingZeros32(uint32(f))])
	if f == HasTraps && at+4 <= int64(len(b)) {
		n += AlignUp(int64(le.Uint32(b[at:])), Unit)
	}
	return n
}

// Method is the method record of the block.
func (b Block) Method() layout.Ref { return layout.Ref(le.Uint32(b[blockMethod:])) }

// Presence is the set of optional fields.
func (b Block) Presence() Presence { return Presence(le.Uint32(b[blockPresence:])) }

// FieldOffset is where, in bytes from the start of the block, an optional
// field lies; ok is false if the block does not have it. f is one bit; the bit
// after the last gives the end of all fields.
func (b Block) FieldOffset(f Presence) (offset int64, ok bool) {
	have := b.Presence()
	before := have & (f - 1)
	if before&(HasHistory|HasEscape|HasTraps|HasSections) == 0 { // all fields have 8 bytes
		return BlockHeaderSize + 8*int64(bits.OnesCount32(uint32(before))), have&f != 0
	}
	at := int64(BlockHeaderSize)
	for ; before != 0; before &= before - 1 {
		at += b.fieldSize(before&-before, at)
	}
	return at, have&f != 0
}

// Field is the bytes from an optional field on, nil if the block lacks it.
func (b Block) Field(f Presence) []byte {
	if b.Presence()&f == 0 {
		return nil
	}
	at, _ := b.FieldOffset(f)
	if at+b.fieldSize(f, at) > int64(len(b)) {
		return nil
	}
	return b[at:]
}

// Links returns the context node of the block and the next block of the same
// method and context.
func (b Block) Links() (context, next layout.Ref) {
	if b.Presence()&HasLinks == 0 || len(b) < BlockHeaderSize+8 {
		return 0, 0
	}
	f := b[BlockHeaderSize:] // the first field
	return layout.Ref(le.Uint32(f)), layout.Ref(le.Uint32(f[4:]))
}

// Code is the code id, 0 if it is not known.
func (b Block) Code() uint64 {
	at := BlockHeaderSize + 8*int(b.Presence()&HasLinks) // only links may stand before it
	if b.Presence()&HasCode == 0 || len(b) < at+8 {
		return 0
	}
	return le.Uint64(b[at:])
}

func (b Block) sectionSize(s layout.BlockSection) int64 {
	switch s {
	case layout.SectionData:
		return int64(le.Uint32(b[blockData:])) * Unit
	case layout.SectionDirectory:
		if f := b.Field(HasDirectory); f != nil {
			return int64(le.Uint32(f)) * directoryRow
		}
		return 0
	default:
		if f := b.Field(HasSections); f != nil {
			return int64(le.Uint32(f[4*(s-layout.SectionExtra):])) * Unit
		}
		return 0
	}
}

// SectionSpan is the place of a section, in bytes from the start of the block.
func (b Block) SectionSpan(s layout.BlockSection) layout.Span {
	at, _ := b.FieldOffset(presenceEnd)
	for t := layout.SectionData; t < s; t++ {
		at += b.sectionSize(t)
	}
	return layout.Span{Offset: at, Size: b.sectionSize(s)}
}

// Section is the bytes of a section.
func (b Block) Section(s layout.BlockSection) []byte {
	span := b.SectionSpan(s)
	if span.End() > int64(len(b)) {
		return nil
	}
	return b[span.Offset:span.End():span.End()]
}

// directoryRow is the size of a row of the point directory: i32 point, u32
// offset of the entry from the start of the data entries in units of 8 bytes.
// Rows are sorted by point, then offset.
const directoryRow = 8

// AppendDirectoryRow appends an encoded row.
func AppendDirectoryRow(b []byte, point int32, offset int64) []byte {
	return le.AppendUint32(le.AppendUint32(b, uint32(point)), uint32(offset/Unit))
}

// DirectoryRow returns row i of a directory: a profile point and where, in bytes
// from the start of the data entries, its entry lies.
func DirectoryRow(dir []byte, i int) (point int32, offset int64) {
	row := dir[i*directoryRow:]
	return int32(le.Uint32(row)), int64(le.Uint32(row[4:])) * Unit
}

// DirectoryLen is the number of rows.
func DirectoryLen(dir []byte) int { return len(dir) / directoryRow }
