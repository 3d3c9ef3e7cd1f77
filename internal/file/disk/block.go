package disk

import (
	"fmt"
	"math/bits"

	"github.com/profarc/profarc/layout"
)

// A Presence is the set of optional fields of a MethodData block. Fields follow the block header in the order of
// their bits.
type Presence uint32

// The optional fields. A VM increments the counters where they are stored.
const (
	HasID          Presence = 1 << iota // u64 method id; only in the method's first MethodData without a context
	HasInvocations                      // u64 invocation counter
	// u32 class, u32 name, u32 signature, u32 loader: symbols of the method's key; requires an id
	HasKey
	HasLinks       // u32 context node (0 for none), u32 next MethodData of the same method and context
	HasCode        // u64 code id, the hash of the method's bytecodes
	HasSize        // u32 code size, u32 size of the VM's own MethodData, both in bytes
	HasBackedges   // u64 backedge counter
	HasInterpreted // u64 invocations by the interpreter
	HasHistory     // u32 decompiles, u32 overflow recompiles, u32 overflow traps, u32 tenure traps
	HasCompile     // u8 highest level, u8 state, u8 would profile, u8 zero, u16 loops, u16 blocks
	HasEscape      // u64 flags, u64 args that stay local, u64 args on stack, u64 args returned
	HasTraps       // u32 n, u32 zero, n bytes padded to a multiple of 8: traps by reason
	HasSections    // u32 units of extra entries, u32 units of parameters, u32 units of handlers, u32 zero
	HasDirectory   // u32 entries of the point directory, u32 zero
	presenceEnd    // 1 << NumFields
)

// FileFields are the fields that a writer adds to a block in a file. They identify the profile and count nothing.
const FileFields = HasID | HasLinks | HasKey
const NumFields = 14

// The block header.
const (
	BlockHeaderSize = 16
	blockUnits      = 0  // u32 block size in units of 8 bytes
	BlockMethod     = 4  // u32 reference to the method record
	BlockPresence   = 8  // u32 Presence
	blockData       = 12 // u32 size of the data entries in units of 8 bytes
)

// DirectoryMin is the number of data entries from which a block has a point directory.
const DirectoryMin = 16

// A Block is an overlay on a MethodData block that [ParseBlock] accepted. If its bytes have changed since, methods
// treat a field or section that no longer fits as absent. They do not panic as long as the block has its header.
type Block []byte

// BlockSize returns the block size in bytes from the header at the front of b, of at least [BlockHeaderSize] bytes.
func BlockSize(b []byte) int64 { return int64(le.Uint32(b[blockUnits:])) * Unit }

// MaxPadding is the maximum number of padding bytes after a block, which keep the next front within one cache line.
const MaxPadding = 24

// HeadSize is the size of header, id and invocation counter, which a lookup by id reads.
const HeadSize = BlockHeaderSize + 8 + 8

// ParseBlock checks that header, fields and sections fill b except for padding. It does not check entries. The error
// describes the defect without an offset.
func ParseBlock(b []byte) (Block, error) {
	if len(b) < BlockHeaderSize || BlockSize(b) != int64(len(b)) {
		return nil, fmt.Errorf("a MethodData block whose size does not fit")
	}
	p := Block(b)
	if _, ok := p.Geometry(); ok {
		return p, nil
	}
	if p.Presence() >= presenceEnd {
		return nil, fmt.Errorf("unknown presence bits 0x%x", uint32(p.Presence()))
	}
	if p.Presence()&(HasID|HasKey) == HasKey {
		return nil, fmt.Errorf("a key without the id of the method")
	}
	fields, _ := p.FieldOffset(presenceEnd)
	if fields > int64(len(b)) {
		return nil, fmt.Errorf("optional fields run over the block's end")
	}
	total := fields
	for s := SectionData; s <= SectionDirectory; s++ {
		total += p.sectionSize(s, fields)
	}
	return nil, fmt.Errorf("fields and sections take %d bytes of a block of %d", total, len(b))
}

// Geometry reports whether fields and sections fill the block except for padding, and returns the end offset of the
// fields. It is [ParseBlock] without an error. The size in the block's header must be len(b).
func (b Block) Geometry() (fields int64, ok bool) {
	if b.Presence() >= presenceEnd || b.Presence()&(HasID|HasKey) == HasKey {
		return 0, false
	}
	fields, _ = b.FieldOffset(presenceEnd)
	if fields > int64(len(b)) {
		return fields, false
	}
	total := fields + b.sectionSize(SectionData, fields)
	if b.Presence()&(HasSections|HasDirectory) != 0 {
		for s := SectionExtra; s <= SectionDirectory; s++ {
			total += b.sectionSize(s, fields)
		}
	}
	return fields, total <= int64(len(b)) && total >= int64(len(b))-MaxPadding
}

func (b Block) DataAt(fields int64) []byte {
	end := fields + int64(le.Uint32(b[blockData:]))*Unit
	if end > int64(len(b)) {
		return nil
	}
	return b[fields:end:end]
}

func (b Block) Method() layout.Ref { return layout.Ref(le.Uint32(b[BlockMethod:])) }

// Presence returns the set of optional fields, which is empty for an empty block.
func (b Block) Presence() Presence {
	if len(b) < BlockHeaderSize {
		return 0
	}
	return Presence(le.Uint32(b[BlockPresence:]))
}

// FieldOffset returns the byte offset of an optional field in the block; ok is false if the block lacks it. f must
// have one bit. The bit after the last field gives the end of all fields.
func (b Block) FieldOffset(f Presence) (offset int64, ok bool) {
	have := b.Presence()
	before := have & (f - 1)
	units := bits.OnesCount32(uint32(before)) + bits.OnesCount32(uint32(before&twoUnits)) +
		3*int(before&HasEscape/HasEscape)
	if before&HasTraps != 0 {
		units += b.trapUnits()
	}
	return BlockHeaderSize + Unit*int64(units), have&f != 0
}

// twoUnits are the fields of 16 bytes. HasEscape has 32, and the others have at least 8.
const twoUnits = HasKey | HasHistory | HasSections

// trapUnits returns the units of the trap bytes after the first unit of HasTraps, which the block must have.
func (b Block) trapUnits() int {
	if at, _ := b.FieldOffset(HasTraps); at+4 <= int64(len(b)) {
		return int(AlignUp(int64(le.Uint32(b[at:])), Unit) / Unit)
	}
	return 0
}

// InvocationsUnit returns the unit offset of the invocation counter in a block with presence p; ok is false if none.
func InvocationsUnit(p Presence) (unit uint64, ok bool) {
	return BlockHeaderSize/Unit + uint64(p&HasID), p&HasInvocations != 0
}

// KeyOffset returns the byte offset of the key in a method's first block; ok is false if the block has no key.
func KeyOffset(presence uint32) (offset uint64, ok bool) {
	const first = BlockHeaderSize + 8 // after the id
	return first + 8*uint64(presence/uint32(HasInvocations)&1), presence&uint32(HasKey) != 0
}

// VersionOffsets returns the byte offsets of a block's links and code id, each valid only if the block has the field.
func VersionOffsets(presence uint32) (links, code uint64) {
	units := presence/uint32(HasID)&1 + presence/uint32(HasInvocations)&1 + presence/uint32(HasKey)&1*2
	links = BlockHeaderSize + Unit*uint64(units)
	return links, links + Unit*uint64(presence/uint32(HasLinks)&1)
}

// VersionReach is the largest possible end offset of the code id.
const VersionReach = BlockHeaderSize + 8 + 8 + 16 + 8 + 8

// Field returns the bytes from an optional field to the block's end, nil if the block lacks the field.
func (b Block) Field(f Presence) []byte {
	if b.Presence()&f == 0 {
		return nil
	}
	at, _ := b.FieldOffset(f)
	if end, _ := b.FieldOffset(f << 1); end > int64(len(b)) {
		return nil
	}
	return b[at:]
}

// ID returns the method id; ok is false except for a method's first block without a context.
func (b Block) ID() (id uint64, ok bool) {
	if b.Presence()&HasID == 0 || len(b) < BlockHeaderSize+8 {
		return 0, false
	}
	return le.Uint64(b[BlockHeaderSize:]), true // the first field
}

func (b Block) Links() (context, next layout.Ref) {
	f := b.Field(HasLinks)
	if f == nil {
		return 0, 0
	}
	return layout.Ref(le.Uint32(f)), layout.Ref(le.Uint32(f[4:]))
}

// Code returns the code id, 0 if unknown.
func (b Block) Code() uint64 {
	if f := b.Field(HasCode); f != nil {
		return le.Uint64(f)
	}
	return 0
}

// A BlockKey is a method's key as symbols; 0 stands for an empty part.
type BlockKey struct{ Class, Name, Signature, Loader layout.Ref }

func (b Block) Key() (k BlockKey, ok bool) {
	f := b.Field(HasKey)
	if f == nil {
		return k, false
	}
	return BlockKey{layout.Ref(le.Uint32(f)), layout.Ref(le.Uint32(f[4:])), layout.Ref(le.Uint32(f[8:])),
		layout.Ref(le.Uint32(f[12:]))}, true
}

func (k BlockKey) Append(b []byte) []byte {
	for _, symbol := range [...]layout.Ref{k.Class, k.Name, k.Signature, k.Loader} {
		b = le.AppendUint32(b, uint32(symbol))
	}
	return b
}

func (b Block) sectionSize(s BlockSection, fields int64) int64 {
	directory := b.Presence() & HasDirectory / HasDirectory
	switch s {
	case SectionData:
		return int64(le.Uint32(b[blockData:])) * Unit
	case SectionDirectory:
		return b.uint32At(fields-Unit) * int64(directory) * DirectoryRowSize
	}
	if b.Presence()&HasSections == 0 {
		return 0
	}
	first := fields - Unit*int64(directory) - 2*Unit
	return b.uint32At(first+4*int64(s-SectionExtra)) * Unit
}

func (b Block) uint32At(at int64) int64 {
	if at+4 > int64(len(b)) {
		return 0
	}
	return int64(le.Uint32(b[at:]))
}

func (b Block) SectionSpan(s BlockSection) layout.Span {
	fields, _ := b.FieldOffset(presenceEnd)
	at := fields
	for t := SectionData; t < s; t++ {
		if at += b.sectionSize(t, fields); t == SectionData && b.Presence()&HasSections == 0 {
			break // sections in between are empty
		}
	}
	return layout.Span{Offset: at, Size: b.sectionSize(s, fields)}
}

func (b Block) Data() (start int64, entries, directory []byte) {
	start, _ = b.FieldOffset(presenceEnd)
	end := start + int64(le.Uint32(b[blockData:]))*Unit
	if end > int64(len(b)) {
		return 0, nil, nil
	}
	entries = b[start:end:end]
	if b.Presence()&(HasDirectory|HasSections) == HasDirectory {
		if after := end + b.uint32At(start-Unit)*DirectoryRowSize; after <= int64(len(b)) {
			directory = b[end:after:after]
		}
	} else if b.Presence()&HasDirectory != 0 {
		directory = b.Section(SectionDirectory)
	}
	return start, entries, directory
}

// Section returns the bytes of a section, nil if it does not fit.
func (b Block) Section(s BlockSection) []byte {
	span := b.SectionSpan(s)
	if span.End() > int64(len(b)) {
		return nil
	}
	return b[span.Offset:span.End():span.End()]
}

// DirectoryRowSize is the size of a row of the point directory: i32 point, u32 entry offset from the start of the
// data entries in units of 8 bytes. Rows are sorted by point, then offset.
const DirectoryRowSize = 8

// AppendDirectoryRow appends an encoded row. offset is in bytes.
func AppendDirectoryRow(b []byte, point int32, offset int64) []byte {
	return le.AppendUint32(le.AppendUint32(b, uint32(point)), uint32(offset/Unit))
}

func DirectoryRow(dir []byte, i int) (point int32, offset int64) {
	row := dir[i*DirectoryRowSize:]
	return int32(le.Uint32(row)), int64(le.Uint32(row[4:])) * Unit
}

func DirectoryLen(dir []byte) int { return len(dir) / DirectoryRowSize }

// A History counts how often compiled code of a method was discarded, by cause.
type History struct{ Decompiles, OverflowRecompiles, OverflowTraps, TenureTraps uint32 }

// A Compile has the facts that HotSpot's compilers record about a method.
type Compile struct {
	Level, State, WouldProfile uint8
	Loops, Blocks              uint16
}

// An Escape is the result of C2's escape analysis. Bit i of Local, Stack and Returned stands for argument i.
// docs/format.md lists the flags.
type Escape struct{ Flags, Local, Stack, Returned uint64 }

func (b Block) History() (h History, ok bool) {
	f := b.Field(HasHistory)
	if f == nil {
		return History{}, false
	}
	return History{le.Uint32(f), le.Uint32(f[4:]), le.Uint32(f[8:]), le.Uint32(f[12:])}, true
}

func (b Block) Compile() (c Compile, ok bool) {
	f := b.Field(HasCompile)
	if f == nil {
		return Compile{}, false
	}
	return Compile{f[0], f[1], f[2], le.Uint16(f[4:]), le.Uint16(f[6:])}, true
}

func (b Block) Escape() (e Escape, ok bool) {
	f := b.Field(HasEscape)
	if f == nil {
		return Escape{}, false
	}
	return Escape{le.Uint64(f), le.Uint64(f[8:]), le.Uint64(f[16:]), le.Uint64(f[24:])}, true
}

type BlockSection int

// The sections of a block, in order.
const (
	SectionData BlockSection = iota
	SectionExtra
	SectionParameters
	SectionHandlers
	SectionDirectory
)

var blockSectionNames = [...]string{"data", "extra", "parameters", "handlers", "directory"}

func (s BlockSection) String() string { return blockSectionNames[s] }
