package hotspot

import (
	"math"
	"strings"

	"github.com/profarc/profarc/internal/parse"
)

// A cursor takes a line of the text apart.
type cursor struct{ parse.Cursor }

// newCursor returns a cursor at the start of a line.
func newCursor(line []byte) cursor { return cursor{parse.Cursor{Line: line}} }

// counter takes a counter of a method: a 32-bit number that has wrapped if it
// is negative.
func (c *cursor) counter() uint64 {
	if c.Skip("-") {
		return uint64(uint32(-int32(c.Number(math.MaxInt32 + 1))))
	}
	return c.Number(math.MaxInt64)
}

// counter32 takes a counter that archives keep in 32 bits.
func (c *cursor) counter32() uint32 {
	n := c.counter()
	if n > math.MaxUint32 {
		c.Miss("a number of 32 bits")
	}
	return uint32(n)
}

// field takes a number between its name, which ends in "(", and ")", and the
// spaces after it.
func (c *cursor) field(name string) uint64 {
	c.Expect(name)
	n := c.Number(math.MaxUint64)
	c.Expect(")")
	c.Spaces()
	return n
}

// displacement takes "displacement(-24)".
func (c *cursor) displacement() int64 {
	c.Expect("displacement(")
	n := c.Signed(math.MaxInt64)
	c.Expect(")")
	return n
}

// rowCount takes "entries(2)", the number of rows that follow.
func (c *cursor) rowCount() int {
	c.Expect("entries(")
	n := c.Number(maxShapeRows)
	c.Expect(")")
	return int(n)
}

// indent is the spaces in front of everything that is counted.
var indent = strings.Repeat(" ", columnBody)
