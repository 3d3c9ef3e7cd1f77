package replay

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/hotspot"
)

// A cursor takes the words of a line one after another, as the VM's own reader
// does. The first word that does not fit makes an error; from then on every
// call gives zero.
type cursor struct {
	line *line
	at   int // of the byte behind what was taken
	err  error
}

func (c *cursor) miss(at int, expected string) {
	if c.err == nil {
		c.err = c.line.syntax(at, expected)
	}
}

func (c *cursor) blanks() {
	for c.at < len(c.line.text) && c.line.text[c.at] == ' ' {
		c.at++
	}
}

// word takes what stands up to the next blank; what is expected is for errors.
func (c *cursor) word(expected string) (text []byte, at int) {
	c.blanks()
	at = c.at
	if c.err != nil {
		return nil, at
	}
	if c.at < len(c.line.text) && c.line.text[c.at] == '"' {
		return c.quoted(expected), at
	}
	for c.at < len(c.line.text) && c.line.text[c.at] != ' ' {
		c.at++
	}
	if c.at == at {
		c.miss(at, expected)
	}
	return c.line.text[at:c.at], at
}

// quoted takes what stands between two quotation marks.
func (c *cursor) quoted(expected string) []byte {
	text := c.line.text[c.at+1:]
	n := bytes.IndexByte(text, '"')
	if n <= 0 {
		c.miss(c.at, expected)
		return nil
	}
	c.at += n + 2
	return text[:n]
}

// name takes a name or a signature.
func (c *cursor) name(expected string) string {
	text, at := c.word(expected)
	if bytes.IndexByte(text, 0) >= 0 {
		c.miss(at, expected)
	}
	return hotspot.FromModified(hotspot.Unquote(text))
}

// referenceEnd ends a reference to a hidden class.
const referenceEnd = ";"

// klass takes the name of a class, or a reference to a hidden one:
//
//	@bci Main main ([Ljava/lang/String;)V 160 <appendix> member <vmtarget> ;
//
// which is kept as it is, with one blank between its words.
func (c *cursor) klass() string {
	const expected = "a class"
	c.blanks()
	if c.at == len(c.line.text) || c.line.text[c.at] != '@' {
		return c.name(expected)
	}
	var words []string
	for c.err == nil {
		word := c.name(`the ";" of a reference to a hidden class`)
		words = append(words, word)
		if word == referenceEnd {
			break
		}
	}
	return strings.Join(words, " ")
}

// number takes a decimal number between min and max.
func (c *cursor) number(min, max int64, expected string) int64 {
	text, at := c.word(expected)
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < min || n > max {
		c.miss(at, expected)
		return 0
	}
	return n
}

// length takes the number of things that follow.
func (c *cursor) length(of string) int {
	return int(c.number(0, int64(len(c.line.text)), "the number of "+of))
}

// cell takes a word of a MethodData: 0x and hexadecimal digits.
func (c *cursor) cell() uint64 {
	text, at := c.word("a word of data in hexadecimal")
	digits, ok := strings.CutPrefix(string(text), "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || !ok {
		c.miss(at, "a word of data in hexadecimal")
		return 0
	}
	return n
}

// keyword takes exactly that word.
func (c *cursor) keyword(want string) {
	if text, at := c.word(strconv.Quote(want)); string(text) != want {
		c.miss(at, strconv.Quote(want))
	}
}

// end holds that nothing is left.
func (c *cursor) end() error {
	c.blanks()
	if c.at < len(c.line.text) {
		c.miss(c.at, "the end of the line")
	}
	return c.err
}
