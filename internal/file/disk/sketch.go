package disk

import (
	"fmt"

	"github.com/profarc/profarc/layout"
)

// A sketch has, for each profile point of a method's code, hashes of the bytecode's operation and operands. They are
// sufficient to recognize the point in other code. The table [TableCode] keeps sketches, so that profiles can be
// adapted to new code without the old code. Its rows are [method, sketch symbol].
//
// A sketch begins with a u16, the version in the low 4 bits and the low 12 bits of the code id above them. Then each
// profile point that is neither a Jump nor a Ret has 20 bits, in bytecode order, beginning with the low bits of a byte:
//
//	bits 0 to 9    operation and name; 0 if unknown
//	bits 10 to 18  operands
//	bit 19         inverse: the branch is taken if its condition is false
//
// and 4 zero bits follow an odd number of points. The hashes can only be compared with hashes of the same version.

type SketchPoint struct {
	What     uint16 // hash of the bytecode and its operand, 10 bits; 0 if unknown
	Operands uint16 // hash of the operands, 9 bits
	Inverse  bool   // branch that is taken if its condition is false
}

const SketchVersion = 2

const (
	sketchHeaderSize  = 2
	sketchVersionBits = 4
	sketchWhatBits    = 10
	sketchOperandBits = 9
	sketchPointBits   = sketchWhatBits + sketchOperandBits + 1
)

func sketchBits(p SketchPoint) uint32 {
	v := uint32(p.What) | uint32(p.Operands)<<sketchWhatBits
	if p.Inverse {
		v |= 1 << (sketchPointBits - 1)
	}
	return v
}

func sketchPoint(v uint32) SketchPoint {
	return SketchPoint{What: uint16(v & (1<<sketchWhatBits - 1)),
		Operands: uint16(v >> sketchWhatBits & (1<<sketchOperandBits - 1)), Inverse: v>>(sketchPointBits-1)&1 != 0}
}

func SketchHeaderOf(code uint64) uint16 { return SketchVersion | uint16(code)<<sketchVersionBits }

func SketchHeader(b []byte) (header uint16, ok bool) {
	if len(b) < sketchHeaderSize {
		return 0, false
	}
	return le.Uint16(b), true
}

func AppendSketch(b []byte, code uint64, points []SketchPoint) []byte {
	b = le.AppendUint16(b, SketchHeaderOf(code))
	pending := uint32(0)
	bits := 0
	for _, p := range points {
		pending |= sketchBits(p) << bits
		bits += sketchPointBits
		for ; bits >= 8; bits -= 8 {
			b = append(b, byte(pending))
			pending >>= 8
		}
	}
	if bits > 0 {
		b = append(b, byte(pending))
	}
	return b
}

// SketchMayBeOf reports whether a sketch may belong to the code with an id. It is false for other versions.
func SketchMayBeOf(b []byte, code uint64) bool {
	header, ok := SketchHeader(b)
	return ok && header == SketchHeaderOf(code)
}

// ParseSketch decodes a sketch of the code with an id; ok is false for other code, another version or malformed bytes.
func ParseSketch(b []byte, code uint64) (points []SketchPoint, ok bool) {
	if !SketchMayBeOf(b, code) {
		return nil, false
	}
	b = b[sketchHeaderSize:]
	n := len(b) * 8 / sketchPointBits
	if (n*sketchPointBits+7)/8 != len(b) {
		return nil, false
	}
	pending := uint32(0)
	bits := 0
	points = make([]SketchPoint, 0, n)
	for range n {
		for ; bits < sketchPointBits; bits += 8 {
			pending |= uint32(b[0]) << bits
			b = b[1:]
		}
		points = append(points, sketchPoint(pending))
		pending >>= sketchPointBits
		bits -= sketchPointBits
	}
	return points, true
}

// NewSketchPoint truncates 64-bit hashes to the bits that a sketch stores.
func NewSketchPoint(what, operands uint64, inverse bool) SketchPoint {
	return SketchPoint{What: uint16(max(what>>(64-10), 1)), Operands: uint16(operands >> (64 - 9)), Inverse: inverse}
}

// A Mark is set on a profile point whose counts come from another version of the code.
type Mark struct {
	// Derived is true if the counts follow from other points. Otherwise the point itself was counted.
	Derived    bool    `json:"derived"`
	Confidence float64 `json:"confidence"` // from 0 to 1
}

// String returns "moved(0.97)" or "derived(0.99)", for lists of points.
func (m Mark) String() string {
	if m.Derived {
		return fmt.Sprintf("derived(%.2f)", m.Confidence)
	}
	return fmt.Sprintf("moved(%.2f)", m.Confidence)
}

type Marks map[MarkedPoint]Mark

type MarkedPoint struct {
	Method layout.Ref
	Code   uint64
	Point  int32
}

// Columns of TableMoved.
const (
	movedMethod = iota
	movedCode
	movedPoint
	movedDerived
	movedConfidence
)

// ParseMarks decodes TableMoved from its cells. Of several marks of a point it keeps the least confident one.
func ParseMarks(rows int, cell func(column, row int) uint64) Marks {
	if rows == 0 {
		return nil
	}
	marks := make(Marks, rows)
	for row := range rows {
		p := MarkedPoint{layout.Ref(cell(movedMethod, row)), cell(movedCode, row), int32(cell(movedPoint, row))}
		mark := Mark{cell(movedDerived, row) != 0, float64(cell(movedConfidence, row)) / float64(layout.WeightOne)}
		if other, ok := marks[p]; !ok || mark.Confidence < other.Confidence {
			marks[p] = mark
		}
	}
	return marks
}

func (m Marks) At(b Block, point int32) (mark Mark, ok bool) {
	if m == nil {
		return mark, false
	}
	mark, ok = m[MarkedPoint{b.Method(), b.Code(), point}]
	return mark, ok
}
