package hotspot

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// A cursor takes a line apart from left to right. The first thing that is not
// there is kept in missing; from then on every call is a no-op.
type cursor struct {
	rest    []byte
	missing string
}

func (c *cursor) ok() bool { return c.missing == "" }

// miss notes what was expected.
func (c *cursor) miss(what string) {
	if c.ok() {
		c.missing = what
	}
}

// skip takes text if it is there.
func (c *cursor) skip(text string) bool {
	if !c.ok() || len(c.rest) < len(text) || string(c.rest[:len(text)]) != text {
		return false
	}
	c.rest = c.rest[len(text):]
	return true
}

// want takes text, which must be there.
func (c *cursor) want(text string) {
	if c.ok() && !c.skip(text) {
		c.miss("\"" + text + "\"")
	}
}

// blanks takes any blanks.
func (c *cursor) blanks() {
	if c.ok() {
		c.rest = bytes.TrimLeft(c.rest, " ")
	}
}

// number takes an unsigned number of at most limit.
func (c *cursor) number(limit uint64) uint64 {
	if !c.ok() {
		return 0
	}
	n, i := uint64(0), 0
	for ; i < len(c.rest) && c.rest[i] >= '0' && c.rest[i] <= '9'; i++ {
		d := uint64(c.rest[i] - '0')
		if n > (math.MaxUint64-d)/10 {
			c.miss("a number of 64 bits")
			return 0
		}
		n = n*10 + d
	}
	if i == 0 {
		c.miss("a number")
		return 0
	}
	if n > limit {
		c.miss(fmt.Sprintf("a number of at most %d", limit))
		return 0
	}
	c.rest = c.rest[i:]
	return n
}

// signed takes a number that may be negative.
func (c *cursor) signed() int64 {
	if c.skip("-") {
		return -int64(c.number(math.MaxInt64))
	}
	return int64(c.number(math.MaxInt64))
}

// counter takes a counter of a method: a 32-bit number that has wrapped if it
// is negative.
func (c *cursor) counter() uint64 {
	if c.skip("-") {
		return uint64(uint32(-int32(c.number(math.MaxInt32 + 1))))
	}
	return c.number(math.MaxInt64)
}

// counter32 takes a counter that archives keep in 32 bits.
func (c *cursor) counter32() uint32 {
	n := c.counter()
	if n > math.MaxUint32 {
		c.miss("a number of 32 bits")
	}
	return uint32(n)
}

// until takes everything up to text, and text itself, which must be there.
func (c *cursor) until(text string) []byte {
	if !c.ok() {
		return nil
	}
	i := bytes.Index(c.rest, []byte(text))
	if i < 0 {
		c.miss("\"" + text + "\"")
		return nil
	}
	found := c.rest[:i]
	c.rest = c.rest[i+len(text):]
	return found
}

// end takes the line's end, trailing blanks included.
func (c *cursor) end() {
	if c.blanks(); c.ok() && len(c.rest) > 0 {
		c.miss("the end of the line")
	}
}

// indent is the blanks in front of everything that is counted.
var indent = strings.Repeat(" ", columnBody)
