package text

import (
	"bytes"
	"math"
)

// A cursor takes a line apart from left to right. The first thing that is not
// there is kept in expected; from then on every call is a no-op.
type cursor struct {
	line     []byte
	at       int
	expected string // what is missing at at
	literal  bool   // expected is text that could stand there
}

func (c *cursor) ok() bool { return c.expected == "" }

// miss notes what was expected.
func (c *cursor) miss(what string) {
	if c.ok() {
		c.expected, c.literal = what, false
	}
}

// missAt notes what was expected at a place before.
func (c *cursor) missAt(at int, what string) {
	if c.ok() {
		c.at = at
		c.miss(what)
	}
}

func (c *cursor) missText(text string) {
	if c.ok() {
		c.expected, c.literal = text, true
	}
}

func blank(b byte) bool { return b == ' ' || b == '\t' }

// token goes to the token that follows, and reports whether there is one.
func (c *cursor) token() bool {
	if !c.ok() {
		return false
	}
	at := c.at
	for at < len(c.line) && blank(c.line[at]) {
		at++
	}
	if at == len(c.line) || c.line[at] == '#' || at > 0 && !blank(c.line[at-1]) {
		return false
	}
	c.at = at
	return true
}

// more reports whether a token follows.
func (c *cursor) more() bool {
	at := c.at
	found := c.token()
	c.at = at
	return found
}

// end takes the line's end, with a comment before it.
func (c *cursor) end() {
	if !c.ok() {
		return
	}
	for c.at < len(c.line) && blank(c.line[c.at]) {
		c.at++
	}
	if c.at < len(c.line) && (c.line[c.at] != '#' || c.at > 0 && !blank(c.line[c.at-1])) {
		c.miss("the end of the line")
	}
}

// skip takes text if it stands right here.
func (c *cursor) skip(text string) bool {
	if !c.ok() || len(c.line)-c.at < len(text) || string(c.line[c.at:c.at+len(text)]) != text {
		return false
	}
	c.at += len(text)
	return true
}

// must takes text, which must stand right here.
func (c *cursor) must(text string) {
	if !c.skip(text) {
		c.missText(text)
	}
}

// try takes text if the next token begins with it.
func (c *cursor) try(text string) bool {
	at := c.at
	if c.token() && c.skip(text) {
		return true
	}
	c.at = at
	return false
}

// tryWord takes a word if the next token is that.
func (c *cursor) tryWord(word string) bool {
	at := c.at
	if c.try(word) && c.atEnd() {
		return true
	}
	c.at = at
	return false
}

// atEnd reports whether a token ends here.
func (c *cursor) atEnd() bool { return c.at == len(c.line) || blank(c.line[c.at]) }

// want takes text, with which the next token must begin.
func (c *cursor) want(text string) {
	if !c.try(text) {
		c.token()
		c.missText(text)
	}
}

// word takes the next token up to a blank.
func (c *cursor) word(what string) []byte {
	if !c.token() {
		c.miss(what)
		return nil
	}
	start := c.at
	for !c.atEnd() {
		c.at++
	}
	return c.line[start:c.at]
}

// number takes an unsigned number of at most limit that stands right here.
func (c *cursor) number(limit uint64) uint64 {
	if !c.ok() {
		return 0
	}
	if c.skip("0x") {
		return c.hex(limit)
	}
	n, i := uint64(0), c.at
	for ; i < len(c.line) && c.line[i]-'0' <= 9; i++ {
		d := uint64(c.line[i] - '0')
		if n > (math.MaxUint64-d)/10 {
			c.miss("a number of 64 bits")
			return 0
		}
		n = n*10 + d
	}
	return c.took(i, n, limit)
}

// hex takes hexadecimal digits of a number that stand right here.
func (c *cursor) hex(limit uint64) uint64 {
	if !c.ok() {
		return 0
	}
	n, i := uint64(0), c.at
	for ; i < len(c.line); i++ {
		d, ok := hexValue(c.line[i])
		if !ok {
			break
		}
		if n>>60 != 0 {
			c.miss("a number of 64 bits")
			return 0
		}
		n = n<<4 | uint64(d)
	}
	return c.took(i, n, limit)
}

// took goes behind the digits of n, which end at end.
func (c *cursor) took(end int, n, limit uint64) uint64 {
	switch {
	case end == c.at:
		c.miss("a number")
	case n > limit:
		c.miss(tooLarge(limit))
	default:
		c.at = end
		return n
	}
	return 0
}

func tooLarge(limit uint64) string {
	switch limit {
	case math.MaxUint8:
		return "a number of 8 bits"
	case math.MaxUint16:
		return "a number of 16 bits"
	case math.MaxUint32:
		return "a number of 32 bits"
	}
	return "a smaller number"
}

// signed takes a number of at least -limit-1 and at most limit.
func (c *cursor) signed(limit int64) int64 {
	if c.skip("-") {
		return -int64(c.number(uint64(limit) + 1))
	}
	return int64(c.number(uint64(limit)))
}

// n takes an unsigned number of 64 bits.
func (c *cursor) n() uint64 { return c.number(math.MaxUint64) }

// point takes a profile point.
func (c *cursor) point() int32 { return int32(c.signed(math.MaxInt32)) }

// hexBytes takes as many bytes as two hexadecimal digits each stand right here,
// and appends them to b.
func (c *cursor) hexBytes(b []byte) []byte {
	for c.ok() && !c.atEnd() {
		if len(c.line)-c.at < 2 {
			c.miss("two hexadecimal digits a byte")
			return b
		}
		high, ok1 := hexValue(c.line[c.at])
		low, ok2 := hexValue(c.line[c.at+1])
		if !ok1 || !ok2 {
			c.miss("two hexadecimal digits a byte")
			return b
		}
		b = append(b, high<<4|low)
		c.at += 2
	}
	return b
}

// reference takes the text of a type or method, or -, that stands right here,
// up to a blank, = or +.
func (c *cursor) reference(what string) []byte {
	if !c.ok() {
		return nil
	}
	start := c.at
	for i := start; ; i++ {
		if i == len(c.line) || blank(c.line[i]) || c.line[i] == '=' || c.line[i] == '+' {
			if i == start {
				c.miss(what)
			}
			c.at = i
			return c.line[start:i]
		}
		if c.line[i] == '"' {
			end := quoted(c.line[i:])
			if end < 0 {
				c.missAt(len(c.line), "a closing quote")
				return nil
			}
			i += end - 1
		}
	}
}

// name takes a name alone that stands right here.
func (c *cursor) name() []byte {
	start := c.at
	token := c.reference("a name")
	if len(token) == 0 || token[0] != '"' {
		if quote := bytes.IndexByte(token, '"'); quote >= 0 {
			c.missAt(start+quote, "the end of the name")
		}
		return token
	}
	name, bad := unquote(token[:quoted(token)])
	switch {
	case quoted(token) != len(token):
		c.missAt(start+quoted(token), "the end of the name")
	case bad >= 0:
		c.missAt(start+bad, `an escape: \" \\ \n or \xHH`)
	}
	return name
}
