package parse

import (
	"bytes"
	"fmt"
	"math"
)

// A Cursor parses a line from left to right. After the first mismatch it stays there, and its methods do nothing
// and return zero.
type Cursor struct {
	Line []byte
	At   int // offset of the next byte in Line

	expected string // what is missing at At, "" if there was no mismatch
	literal  bool   // expected is text of the format, not a description
}

// OK reports whether there was no mismatch.
func (c *Cursor) OK() bool { return c.expected == "" }

// Expected describes what is missing, and is "" if there was no mismatch.
func (c *Cursor) Expected() string {
	if c.literal {
		return fmt.Sprintf("%q", c.expected)
	}
	return c.expected
}

// Rest returns the rest of the line.
func (c *Cursor) Rest() []byte { return c.Line[min(c.At, len(c.Line)):] }

// Miss records a mismatch at the current offset.
func (c *Cursor) Miss(expected string) { c.MissAt(c.At, expected) }

// MissAt records a mismatch at an offset and moves there.
func (c *Cursor) MissAt(at int, expected string) {
	if c.OK() {
		c.At = at
		c.expected = expected
	}
}

// Skip consumes text if it comes next, and reports whether it does.
func (c *Cursor) Skip(text string) bool {
	if !c.OK() || len(c.Line)-c.At < len(text) || string(c.Line[c.At:c.At+len(text)]) != text {
		return false
	}
	c.At += len(text)
	return true
}

// Expect consumes text, which must come next.
func (c *Cursor) Expect(text string) {
	if c.OK() && !c.Skip(text) {
		c.expected = text
		c.literal = true
	}
}

// Spaces consumes any number of spaces.
func (c *Cursor) Spaces() {
	for c.OK() && c.At < len(c.Line) && c.Line[c.At] == ' ' {
		c.At++
	}
}

// Until consumes the line up to and including text. It returns the part before text, or nil on a mismatch.
func (c *Cursor) Until(text string) []byte {
	if !c.OK() {
		return nil
	}
	n := bytes.Index(c.Rest(), []byte(text))
	if n < 0 {
		c.Expect(text)
		return nil
	}
	before := c.Take(n)
	c.At += len(text)
	return before
}

// Take consumes n bytes. It returns nil and consumes nothing if fewer are left.
func (c *Cursor) Take(n int) []byte {
	if !c.OK() || n < 0 || n > len(c.Line)-c.At {
		return nil
	}
	c.At += n
	return c.Line[c.At-n : c.At]
}

// End consumes any spaces, after which the line must end.
func (c *Cursor) End() {
	if c.Spaces(); c.OK() && c.At < len(c.Line) {
		c.Miss("the end of the line")
	}
}

// Number consumes a decimal number of at most limit.
func (c *Cursor) Number(limit uint64) uint64 { return c.takeDigits(10, limit) }

// Signed consumes a decimal number in [-limit-1, limit].
func (c *Cursor) Signed(limit int64) int64 {
	if c.Skip("-") {
		return -int64(c.Number(uint64(limit) + 1))
	}
	return int64(c.Number(uint64(limit)))
}

// Hex consumes a hexadecimal number of at most limit. Digits can have either case.
func (c *Cursor) Hex(limit uint64) uint64 { return c.takeDigits(16, limit) }

func (c *Cursor) takeDigits(base byte, limit uint64) uint64 {
	if !c.OK() {
		return 0
	}
	n := uint64(0)
	i := c.At
	for ; i < len(c.Line); i++ {
		d, ok := hexDigit(c.Line[i])
		if !ok || d >= base {
			break
		}
		if n>>60 != 0 && n > (math.MaxUint64-uint64(d))/uint64(base) {
			c.Miss("a number of 64 bits")
			return 0
		}
		n = n*uint64(base) + uint64(d)
	}
	return c.finishNumber(n, i, limit)
}

// finishNumber checks and consumes the number n, whose digits end at end.
func (c *Cursor) finishNumber(n uint64, end int, limit uint64) uint64 {
	switch {
	case end == c.At:
		c.Miss("a number")
	case n > limit:
		c.Miss(describeLimit(limit))
	default:
		c.At = end
		return n
	}
	return 0
}

func describeLimit(limit uint64) string {
	for _, bits := range []int{8, 16, 32} {
		if limit == 1<<bits-1 {
			return fmt.Sprintf("a number of %d bits", bits)
		}
	}
	return fmt.Sprintf("a number of at most %d", limit)
}

// hexDigit returns the value of a hexadecimal digit. ok is false for other characters.
func hexDigit(c byte) (value byte, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
