package coverage

import (
	"errors"
	"fmt"
)

// A counter is what a region counts: nothing, a counter of the function, or an expression.
type counter struct {
	kind  counterKind
	index uint32 // of the counter or expression
}

type counterKind uint8

const (
	counterZero counterKind = iota
	counterReference
	counterExpression
)

// The tags of encoded counters beside tagZero.
const (
	tagReference   = 1
	tagSubtraction = 2
	tagAddition    = 3
)

// An expression is the sum or the difference of two counters.
type expression struct {
	left, right counter
	add         bool
}

// readExpressions reads the expressions of a function. Whether one adds or subtracts is
// said by the tags of counters that refer to it.
func (f *function) readExpressions(c *cursor) {
	f.expressions = make([]expression, c.size("expressions", 2))
	for i := range f.expressions {
		left := f.counter(c, c.number())
		right := f.counter(c, c.number())
		f.expressions[i].left, f.expressions[i].right = left, right
	}
}

// counter decodes a counter.
func (f *function) counter(c *cursor, encoded uint64) counter {
	index := uint32(encoded >> tagBits)
	switch encoded & tagMask {
	case tagZero:
		return counter{}
	case tagReference:
		return counter{counterReference, index}
	}
	if int(index) >= len(f.expressions) {
		if c.err == nil {
			c.err = fmt.Errorf("expression %d of %d", index, len(f.expressions))
		}
		return counter{}
	}
	f.expressions[index].add = encoded&tagMask == tagAddition
	return counter{counterExpression, index}
}

var (
	errCircle    = errors.New("an expression of counters that refers to itself")
	errNoCounter = errors.New("more counters than the profile has")
)

// A valuation has the values of the counters and expressions of a function.
type valuation struct {
	counters    []uint64
	expressions []expression
	values      []uint64
	states      []valueState
	stack       []uint32
	none        bool // the function has no counters: all are 0
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

// of returns the value of a counter. Each expression is computed once; sums wrap, as in llvm-cov.
func (v *valuation) of(c counter) (uint64, error) {
	if c.kind == counterExpression && v.states[c.index] != valueKnown {
		if err := v.compute(c.index); err != nil {
			return 0, err
		}
	}
	switch c.kind {
	case counterReference:
		if v.none {
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

// compute computes an expression after those that it is made of, without recursion:
// expressions can be nested as deep as there are many.
func (v *valuation) compute(root uint32) error {
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
		left, err := v.of(e.left)
		if err != nil {
			return err
		}
		right, err := v.of(e.right)
		if err != nil {
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
