package disk

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/profarc/profarc/layout"
)

// An entry of tags 1 to 13 has HotSpot's header of 8 bytes:
//
//	0 u8 tag, u8 flags, u16 bci, u32 traps
//
// and a wide entry has a header of 16:
//
//	0 u8 tag, u8 flags, u16 sub, i32 point
//	8 u32 cells, u32 rows
//
// Cells of 8 bytes follow.
const (
	EntryHeaderSize = 8
	WideHeaderSize  = 16
	CellSize        = 8
)

type Shape struct {
	TypeRows int // receiver rows of HotSpot's entries
	BciRows  int
	Gap      int       // cells between the count and the rows of a receiver entry
	Declared *Declared // shapes that the producer declares, or nil
}

// ShapeOfParams returns the shape for the settings without declared entries. mapped.Mapping.Shape is an archive's.
func ShapeOfParams(p *layout.Params) Shape {
	return Shape{TypeRows: int(p.TypeProfileWidth), BciRows: int(p.BciProfileWidth), Gap: int(p.ReceiverGap)}
}

// WithDeclared returns the shape with other declared entries.
func (s Shape) WithDeclared(d *Declared) Shape {
	s.Declared = d
	return s
}

// SameSettings reports whether HotSpot's entries have the same cells in both shapes.
func (s Shape) SameSettings(t Shape) bool {
	return s.TypeRows == t.TypeRows && s.BciRows == t.BciRows && s.Gap == t.Gap
}

// An Entry is an overlay on the bytes of exactly one entry.
type Entry []byte

func (e Entry) Tag() layout.Tag          { return layout.Tag(e[0]) }
func (e Entry) Flags() layout.EntryFlags { return layout.EntryFlags(e[1]) }

// Point returns the profile point: the bci of a HotSpot entry or the point of a wide one.
func (e Entry) Point() int32 {
	if IsWide(e.Tag()) {
		return int32(le.Uint32(e[4:]))
	}
	return int32(le.Uint16(e[2:]))
}

// Traps returns the traps word of a HotSpot entry, 0 for a wide one.
func (e Entry) Traps() layout.EntryTraps {
	if IsWide(e.Tag()) {
		return 0
	}
	return layout.EntryTraps(le.Uint32(e[4:]))
}

// Sub returns the subtag of a wide entry, 0 for a HotSpot one.
func (e Entry) Sub() layout.Sub {
	if IsWide(e.Tag()) {
		return layout.Sub(le.Uint16(e[2:]))
	}
	return 0
}

// HeaderSize returns the header size in bytes.
func (e Entry) HeaderSize() int {
	if IsWide(e.Tag()) {
		return WideHeaderSize
	}
	return EntryHeaderSize
}

func (e Entry) Cells() int              { return (len(e) - e.HeaderSize()) / CellSize }
func (e Entry) Cell(i int) uint64       { return le.Uint64(e[e.HeaderSize()+i*CellSize:]) }
func (e Entry) SetCell(i int, v uint64) { le.PutUint64(e[e.HeaderSize()+i*CellSize:], v) }
func (e Entry) CellOffset(i int) int    { return e.HeaderSize() + i*CellSize }

// NewEntry appends a HotSpot entry with n zero cells to b. It returns the extended slice and the entry.
func NewEntry(b []byte, tag layout.Tag, flags layout.EntryFlags, bci uint16, traps layout.EntryTraps,
	n int) ([]byte, Entry) {
	at := len(b)
	b = append(b, byte(tag), byte(flags))
	b = le.AppendUint16(b, bci)
	b = le.AppendUint32(b, uint32(traps))
	b = append(b, make([]byte, n*CellSize)...)
	return b, Entry(b[at:])
}

// NewWide appends a wide entry with n zero cells to b. It returns the extended slice and the entry.
func NewWide(b []byte, tag layout.Tag, flags layout.EntryFlags, sub layout.Sub, point int32, n,
	rows int) ([]byte, Entry) {
	at := len(b)
	b = append(b, byte(tag), byte(flags))
	b = le.AppendUint16(b, uint16(sub))
	b = le.AppendUint32(b, uint32(point))
	b = le.AppendUint32(b, uint32(n))
	b = le.AppendUint32(b, uint32(rows))
	b = append(b, make([]byte, n*CellSize)...)
	return b, Entry(b[at:])
}

// NextEntry splits the first entry off b, the rest of a section. The error describes the defect without an offset.
func (s Shape) NextEntry(b []byte) (e Entry, rest []byte, err error) {
	if len(b) < EntryHeaderSize {
		return nil, nil, fmt.Errorf("an entry is cut off after %d bytes", len(b))
	}
	size, err := s.entrySize(b)
	if err != nil {
		return nil, nil, err
	}
	if size > int64(len(b)) {
		return nil, nil, fmt.Errorf("a %s entry of %d bytes runs over the %d that are left", layout.Tag(b[0]), size, len(b))
	}
	return Entry(b[:size:size]), b[size:], nil
}

func (e Entry) SetFlags(f layout.EntryFlags) { e[1] = byte(f) }

// SetTraps sets the traps word of a HotSpot entry.
func (e Entry) SetTraps(t layout.EntryTraps) { le.PutUint32(e[4:], uint32(t)) }
func (e Entry) Rows() int                    { return int(min(uint64(le.Uint32(e[12:])), math.MaxInt)) }

// SetCounts sets the cell and row counts in the header of a wide entry, before its bytes grow or shrink.
func (e Entry) SetCounts(cells, rows int) {
	le.PutUint32(e[8:], uint32(cells))
	le.PutUint32(e[12:], uint32(rows))
}

// UndecodedTag returns the VM's tag of the first entry in a TagUndecoded entry, 0 if it has no words.
func UndecodedTag(e Entry) layout.Tag {
	if e.Tag() != TagUndecoded || e.Cells() == 0 {
		return 0
	}
	return layout.Tag(e.Cell(0))
}

func PackSuccessor(point int32, index uint32) uint64 {
	return uint64(uint32(point)) | uint64(index)<<32
}

func UnpackSuccessor(cell uint64) (point int32, index uint32) {
	return int32(uint32(cell)), uint32(cell >> 32)
}

// UniteTraps merges two traps words. It follows Deoptimization::trap_state_add_reason in OpenJDK's
// src/hotspot/share/runtime/deoptimization.cpp.
func UniteTraps(x, y layout.EntryTraps) layout.EntryTraps {
	recompiled := (x | y) & layout.EntryTrapRecompiled
	switch x, y = x&EntryTrapMany, y&EntryTrapMany; {
	case x == y, y == 0:
		return recompiled | x
	case x == 0:
		return recompiled | y
	}
	return recompiled | EntryTrapMany
}

// SaturatingAdd returns a + b, or the maximum uint64 on overflow.
func SaturatingAdd(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}

const NumCountUnits = UnitNanoseconds + 1

// MultiplyWeights returns the product of two weights, rounded to the nearest and at least one billionth.
func MultiplyWeights(w, v layout.Weight) layout.Weight {
	return layout.Weight(max(ApplyWeight(v, uint64(w)), 1))
}

// ApplyWeight returns n times w, rounded half up and saturating. A weight of 0 counts as 1.
func ApplyWeight(w layout.Weight, n uint64) uint64 {
	if w == layout.WeightOne || w == 0 {
		return n
	}
	hi, lo := bits.Mul64(n, uint64(w))
	lo, carry := bits.Add64(lo, uint64(layout.WeightOne)/2, 0)
	if hi += carry; hi >= uint64(layout.WeightOne) {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, uint64(layout.WeightOne))
	return q
}

// ApplyWeightSigned is Weigh for a signed count.
func ApplyWeightSigned(w layout.Weight, n int64) int64 {
	if n < 0 {
		return -int64(min(ApplyWeight(w, uint64(-n)), math.MaxInt64))
	}
	return int64(min(ApplyWeight(w, uint64(n)), math.MaxInt64))
}
