package coverage

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A counter is the source of a region's count: zero, a counter of the function, or an expression.
type counter struct {
	kind  counterKind
	index uint32 // index of the counter or expression
}

type counterKind uint8

const (
	counterZero counterKind = iota
	counterReference
	counterExpression
)

// Tags of encoded counters in addition to tagZero.
const (
	tagReference   = 1
	tagSubtraction = 2
	tagAddition    = 3
)

// An expression adds or subtracts two counters.
type expression struct {
	left, right counter
	add         bool
}

// readExpressions reads the expressions of a function. The tags of the counters that refer to an expression tell
// whether it adds or subtracts.
func (f *function) readExpressions(c *cursor) {
	f.expressions = make([]expression, c.readCount("expressions", 2))
	for i := range f.expressions {
		left := f.decodeCounter(c, c.readNumber())
		right := f.decodeCounter(c, c.readNumber())
		f.expressions[i].left, f.expressions[i].right = left, right
	}
}

func (f *function) decodeCounter(c *cursor, encoded uint64) counter {
	index := uint32(encoded >> tagBits)
	switch encoded & tagMask {
	case tagZero:
		return counter{}
	case tagReference:
		return counter{counterReference, index}
	}
	if int(index) >= len(f.expressions) {
		c.fail("expression %d of %d", index, len(f.expressions))
		return counter{}
	}
	f.expressions[index].add = encoded&tagMask == tagAddition
	return counter{counterExpression, index}
}

var (
	errCircle    = errors.New("an expression of counters that refers to itself")
	errNoCounter = errors.New("more counters than the profile has")
)

// A valuation computes the values of a function's counters and expressions.
type valuation struct {
	counters    []uint64
	expressions []expression
	values      []uint64
	states      []valueState
	stack       []uint32
	unprofiled  bool // the profile lacks the function, so all counters are 0
}

type valueState uint8

const (
	valueUnknown valueState = iota
	valuePending
	valueKnown
)

func newValuation(f *function, counters []uint64) *valuation {
	return &valuation{counters: counters, expressions: f.expressions,
		values: make([]uint64, len(f.expressions)), states: make([]valueState, len(f.expressions))}
}

// valueOf returns the value of a counter. Each expression is computed once. Additions wrap, as in llvm-cov.
func (v *valuation) valueOf(c counter) (uint64, error) {
	if c.kind == counterExpression && v.states[c.index] != valueKnown {
		if err := v.computeExpression(c.index); err != nil {
			return 0, err
		}
	}
	switch c.kind {
	case counterReference:
		if v.unprofiled {
			return 0, nil
		}
		if int(c.index) >= len(v.counters) {
			return 0, errNoCounter
		}
		return v.counters[c.index], nil
	case counterExpression:
		return v.values[c.index], nil
	}
	return 0, nil
}

// computeExpression computes an expression after its parts. It does not recurse, since nesting can be as deep as the
// number of expressions.
func (v *valuation) computeExpression(root uint32) error {
	v.stack = append(v.stack[:0], root)
	for len(v.stack) > 0 {
		at := v.stack[len(v.stack)-1]
		e := v.expressions[at]
		if v.states[at] == valueUnknown {
			v.states[at] = valuePending
			for _, part := range [...]counter{e.left, e.right} {
				if part.kind != counterExpression || v.states[part.index] == valueKnown {
					continue
				}
				if v.states[part.index] == valuePending {
					return errCircle
				}
				v.stack = append(v.stack, part.index)
			}
			continue
		}
		v.stack = v.stack[:len(v.stack)-1]
		if v.states[at] == valueKnown {
			continue // both parts were the same expression
		}
		left, errLeft := v.valueOf(e.left)
		right, errRight := v.valueOf(e.right)
		if err := cmp.Or(errLeft, errRight); err != nil {
			return err
		}
		if !e.add {
			right = -right
		}
		v.values[at] = left + right
		v.states[at] = valueKnown
	}
	return nil
}

// A cursor decodes numbers. After its first error it returns zeros.
type cursor struct {
	rest []byte
	err  error
}

// fail records an error, unless there was one before.
func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// readNumber decodes a number, which has at most 32 bits.
func (c *cursor) readNumber() uint64 {
	n, size := binary.Uvarint(c.rest)
	switch {
	case size <= 0:
		c.fail("a number that does not end")
	case n > math.MaxUint32:
		c.fail("%d, where numbers have 32 bits", n)
	}
	if c.err != nil {
		return 0
	}
	c.rest = c.rest[size:]
	return n
}

// readCount decodes the number of following items, which have at least least bytes each.
func (c *cursor) readCount(of string, least int) int {
	n := c.readNumber()
	if n > uint64(len(c.rest)/least) {
		c.fail("%d %s in %d bytes", n, of, len(c.rest))
	}
	if c.err != nil {
		return 0
	}
	return int(n)
}

func (c *cursor) readBytes(n uint64) []byte {
	if n > uint64(len(c.rest)) {
		c.fail("%d bytes, where %d are left", n, len(c.rest))
	}
	if c.err != nil {
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}
