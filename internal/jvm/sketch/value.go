package sketch

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/jvm/bytecode"
)

// A value is an expression on the operand stack, as hashes of its normal form.
type value struct {
	root     uint64 // of its operator and what that names
	shape    uint64 // of all of it, local variables without their identities
	full     uint64 // of all of it
	wide     bool   // long or double: it takes two slots
	constant *int64 // value of an integral constant
	compared *comparison
	// unstable is whether it depends on names or numbers that the compiler makes up.
	unstable bool
}

// A comparison is the result of lcmp or its like.
type comparison struct {
	op          byte
	left, right value
}

// seed is what hashes begin with.
const seed = 0x9e3779b97f4a7c15

// step hashes one more number.
func step(h, n uint64) uint64 {
	h = (h ^ n) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>29) * 0x94d049bb133111eb
	return h ^ h>>32
}

// mix hashes numbers in their order.
func mix(numbers ...uint64) uint64 {
	h := uint64(seed)
	for _, n := range numbers {
		h = step(h, n)
	}
	return h
}

// operator is the expression of an operator that names something, given the hash
// of the name, and of its operands.
func operator(op byte, name uint64, operands ...value) value {
	v := value{root: mix(uint64(op), name)}
	v.shape, v.full = step(seed, v.root), step(seed, v.root)
	for i := range operands {
		v.shape, v.full = step(v.shape, operands[i].shape), step(v.full, operands[i].full)
		v.unstable = v.unstable || operands[i].unstable
	}
	return v
}

// noName is the name of an operator that names nothing.
const noName = 0

// constant is the expression of a constant by its text.
func constant(text string) value { return operator(bytecode.Ldc, xxhash.Sum64String(text)) }

// unordered is the expression of an operator whose operands have no order.
func unordered(op byte, a, b value) value {
	root := mix(uint64(op))
	return value{
		root:  root,
		shape: mix(root, min(a.shape, b.shape), max(a.shape, b.shape)),
		full:  mix(root, min(a.full, b.full), max(a.full, b.full)), unstable: a.unstable || b.unstable,
	}
}

// An arm is a value with the condition under which it comes.
type arm struct {
	value
	under control
}

// A control is the condition under which a block is entered.
type control struct{ shape, full uint64 }

// either is the value that comes from several blocks.
func either(arms []arm) value {
	same := func(a arm) bool { return a.full == arms[0].full }
	if !slices.ContainsFunc(arms[1:], func(a arm) bool { return !same(a) }) {
		return arms[0].value
	}
	v := value{root: mix(uint64(len(arms))), wide: arms[0].wide}
	var shapes, fulls []uint64
	for _, a := range arms {
		shapes, fulls = append(shapes, mix(a.shape, a.under.shape)), append(fulls, mix(a.full, a.under.full))
		v.unstable = v.unstable || a.unstable
	}
	v.shape, v.full = inNoOrder(shapes), inNoOrder(fulls)
	return v
}

// inNoOrder hashes numbers whose order says nothing.
func inNoOrder(numbers []uint64) uint64 {
	slices.Sort(numbers)
	return mix(numbers...)
}

// A condition is what a branch tests: a relation of its operands in normal form.
type condition struct {
	shape, full uint64
	inverse     bool // the branch is taken where the relation does not hold
	unknown     bool // its side cannot be told from the opposite one
	unstable    bool
}

// Relations.
const (
	equal = 1
	less  = 2
)

// equality is the condition that two values are equal.
func equality(a, b value, inverse bool) condition {
	e := unordered(equal, a, b)
	return condition{shape: e.shape, full: e.full, inverse: inverse, unstable: e.unstable}
}

// order is the condition that one value is less than another. nan says what NaN
// does to it.
func order(nan byte, a, b value, inverse bool) condition {
	if nan == integral && a.constant != nil && b.constant == nil && *a.constant < 1<<62 {
		a, b, inverse = b, integer(*a.constant+1, a.wide), !inverse // c < x is not x < c+1
	}
	c := condition{
		shape: mix(less, uint64(nan), a.shape, b.shape), full: mix(less, uint64(nan), a.full, b.full),
		inverse: inverse, unstable: a.unstable || b.unstable, unknown: a.full == b.full,
	}
	if a.shape == b.shape { // its shape alone would not tell a < b from b < a
		c.shape = c.full
	}
	return c
}

// edge is the control of one side of a branch.
func (c condition) edge(taken bool) control {
	side := uint64(cmp.Compare(b2i(taken != c.inverse), 0))
	return control{mix(c.shape, side), mix(c.full, side)}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
