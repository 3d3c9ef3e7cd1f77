package disk

// A sketch says of each profile point of a method's code what its bytecode tests, calls or checks, as far as
// is needed to recognise the point in other code. The table [TableCode] keeps sketches, so that profiles can
// be adapted to new code without the old. Its rows are [method, sketch symbol].
//
// The bytes of a sketch are a u16, its version in the low 4 bits, the low 12 bits of the code id above them;
// then for each profile point of the code that is neither a Jump nor a Ret, in the order of the bytecodes, 20
// bits, the low ones of a byte first:
//
//	bits 0 to 9    what the bytecode is and names; 0 is not known
//	bits 10 to 18  its operands
//	bit 19         inverse: a branch is taken where its condition does not hold
//
// and 4 zero bits where the number of points is odd. The numbers are hashes: they
// can be compared with the words of a sketch of the same version, and say nothing else.

// A SketchPoint is the part of a sketch about a profile point.
type SketchPoint struct {
	What     uint16 // hash of the bytecode and its operand, 10 bits; 0 if not known
	Operands uint16 // hash of the operands, 9 bits
	Inverse  bool   // a branch is taken where its condition does not hold
}

// SketchVersion is the version of the sketches that are written.
const SketchVersion = 2

const (
	sketchHeaderSize  = 2
	sketchVersionBits = 4
	sketchWhatBits    = 10
	sketchOperandBits = 9
	sketchPointBits   = sketchWhatBits + sketchOperandBits + 1
)

// sketchBits returns the 20 bits of a point.
func sketchBits(p SketchPoint) uint32 {
	v := uint32(p.What) | uint32(p.Operands)<<sketchWhatBits
	if p.Inverse {
		v |= 1 << (sketchPointBits - 1)
	}
	return v
}

// sketchPoint returns the point of 20 bits.
func sketchPoint(v uint32) SketchPoint {
	return SketchPoint{
		What:     uint16(v & (1<<sketchWhatBits - 1)),
		Operands: uint16(v >> sketchWhatBits & (1<<sketchOperandBits - 1)),
		Inverse:  v>>(sketchPointBits-1)&1 != 0,
	}
}

// SketchHeaderOf returns what a sketch of the code with an id begins with.
func SketchHeaderOf(code uint64) uint16 { return SketchVersion | uint16(code)<<sketchVersionBits }

// SketchHeader returns what a sketch begins with; ok is false if it is none.
func SketchHeader(b []byte) (header uint16, ok bool) {
	if len(b) < sketchHeaderSize {
		return 0, false
	}
	return le.Uint16(b), true
}

// AppendSketch appends the bytes of a sketch of the code with an id.
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

// SketchMayBeOf reports whether a sketch may be of the code with an id. Sketches of
// other versions are of none.
func SketchMayBeOf(b []byte, code uint64) bool {
	header, ok := SketchHeader(b)
	return ok && header == SketchHeaderOf(code)
}

// ParseSketch reads what a sketch says of the points of the code with an id. ok is
// false if it is of other code, of another version, or no sketch.
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

// NewSketchPoint cuts hashes to what a sketch holds of them.
func NewSketchPoint(what, operands uint64, inverse bool) SketchPoint {
	return SketchPoint{What: uint16(max(what>>(64-10), 1)), Operands: uint16(operands >> (64 - 9)), Inverse: inverse}
}
