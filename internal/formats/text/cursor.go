package text

import (
	"bytes"
	"math"

	"github.com/profarc/profarc/internal/formats/parse"
)

// A cursor splits a line into tokens at spaces and tabs. A token that begins with # starts a comment.
type cursor struct{ parse.Cursor }

func newCursor(line []byte) cursor { return cursor{parse.Cursor{Line: line}} }

func isSpace(b byte) bool { return b == ' ' || b == '\t' }

// spacesEnd returns the offset after spaces and tabs. It does not move the cursor.
func (c *cursor) spacesEnd() (at int) {
	for at = c.At; at < len(c.Line) && isSpace(c.Line[at]); at++ {
	}
	return at
}

// startsComment reports whether a comment begins at offset at.
func (c *cursor) startsComment(at int) bool {
	return c.Line[at] == '#' && (at == 0 || isSpace(c.Line[at-1]))
}

func (c *cursor) nextToken() bool {
	if !c.OK() {
		return false
	}
	at := c.spacesEnd()
	if at == len(c.Line) || c.Line[at] == '#' || at > 0 && !isSpace(c.Line[at-1]) {
		return false
	}
	c.At = at
	return true
}

func (c *cursor) hasToken() bool {
	ahead := *c
	return ahead.nextToken()
}

// expectLineEnd requires that only a comment follows.
func (c *cursor) expectLineEnd() {
	if !c.OK() {
		return
	}
	c.At = c.spacesEnd()
	if c.At < len(c.Line) && !c.startsComment(c.At) {
		c.Miss("the end of the line")
	}
}

func (c *cursor) skipToken(text string) bool {
	at := c.At
	if c.nextToken() && c.Skip(text) {
		return true
	}
	c.At = at
	return false
}

// skipWord consumes the next token if it equals word.
func (c *cursor) skipWord(word string) bool {
	at := c.At
	if c.skipToken(word) && c.atTokenEnd() {
		return true
	}
	c.At = at
	return false
}

// expectToken consumes text, with which the next token must begin.
func (c *cursor) expectToken(text string) {
	if !c.skipToken(text) {
		c.nextToken()
		c.Expect(text)
	}
}

func (c *cursor) atDigit() bool { return c.At < len(c.Line) && c.Line[c.At]-'0' <= 9 }

func (c *cursor) atTokenEnd() bool { return c.At == len(c.Line) || isSpace(c.Line[c.At]) }

// takeWord consumes the next token, which errors call expected.
func (c *cursor) takeWord(expected string) []byte {
	if !c.nextToken() {
		c.Miss(expected)
		return nil
	}
	start := c.At
	for !c.atTokenEnd() {
		c.At++
	}
	return c.Line[start:c.At]
}

// takeUint consumes an unsigned decimal number, or a hexadecimal one after 0x, of at most limit.
func (c *cursor) takeUint(limit uint64) uint64 {
	if c.Skip("0x") {
		return c.Hex(limit)
	}
	return c.Number(limit)
}

func (c *cursor) takeUint64() uint64 { return c.takeUint(math.MaxUint64) }

// takeInt consumes a number in [-limit-1, limit].
func (c *cursor) takeInt(limit int64) int64 {
	if c.Skip("-") {
		return -int64(c.takeUint(uint64(limit) + 1))
	}
	return int64(c.takeUint(uint64(limit)))
}

func (c *cursor) takePoint() int32 { return int32(c.takeInt(math.MaxInt32)) }

// takeHexBytes consumes pairs of hexadecimal digits up to the end of the token, and appends the bytes to b.
func (c *cursor) takeHexBytes(b []byte) []byte {
	for c.OK() && !c.atTokenEnd() {
		pair := parse.Cursor{Line: c.Line[c.At:min(c.At+2, len(c.Line))]}
		v := pair.Hex(math.MaxUint8)
		if pair.At != 2 {
			c.Miss("two hexadecimal digits a byte")
			return b
		}
		b = append(b, byte(v))
		c.At += 2
	}
	return b
}

// takeReference consumes a type, a method or -, up to a space, = or + outside quotes.
func (c *cursor) takeReference(expected string) []byte {
	if !c.OK() {
		return nil
	}
	start := c.At
	for i := start; ; i++ {
		if i == len(c.Line) || isSpace(c.Line[i]) || c.Line[i] == '=' || c.Line[i] == '+' {
			if i == start {
				c.Miss(expected)
			}
			c.At = i
			return c.Line[start:i]
		}
		if c.Line[i] == '"' {
			end := quotedEnd(c.Line[i:])
			if end < 0 {
				c.MissAt(len(c.Line), "a closing quote")
				return nil
			}
			i += end - 1
		}
	}
}

func (c *cursor) takeName() []byte {
	start := c.At
	token := c.takeReference("a name")
	if len(token) == 0 || token[0] != '"' {
		if quote := bytes.IndexByte(token, '"'); quote >= 0 {
			c.MissAt(start+quote, "the end of the name")
		}
		return token
	}
	end := quotedEnd(token)
	name, bad := unquote(token[:end])
	switch {
	case end != len(token):
		c.MissAt(start+end, "the end of the name")
	case bad >= 0:
		c.MissAt(start+bad, `an escape: \" \\ \n or \xHH`)
	}
	return name
}
