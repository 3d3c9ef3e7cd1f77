package replay

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/jvm/names"
	"github.com/profarc/profarc/internal/parse"
)

// A cursor takes the words of a line one after another, as the VM's own reader
// does. After the first word that does not fit, every method returns zero.
type cursor struct {
	parse.Cursor
	place parse.Place
}

// err returns the error of the word that does not fit, nil if all do.
func (c *cursor) err() error { return c.place.Missing(&c.Cursor, ErrSyntax) }

// end returns the error of a line of which something is left, or err.
func (c *cursor) end() error {
	c.End()
	return c.err()
}

// word takes the text up to the next space, or between two quotation marks.
func (c *cursor) word(expected string) (text []byte, at int) {
	c.Spaces()
	at = c.At
	if bytes.HasPrefix(c.Rest(), []byte(`"`)) {
		return c.quoted(expected), at
	}
	n := bytes.IndexByte(c.Rest(), ' ')
	if n < 0 {
		n = len(c.Rest())
	}
	if text = c.Take(n); n == 0 {
		c.Miss(expected)
	}
	return text, at
}

// quoted takes the text between two quotation marks.
func (c *cursor) quoted(expected string) []byte {
	n := bytes.IndexByte(c.Rest()[1:], '"')
	if n <= 0 {
		c.Miss(expected)
		return nil
	}
	c.Take(1)
	text := c.Take(n)
	c.Take(1)
	return text
}

// name takes a name or a signature.
func (c *cursor) name(expected string) string {
	text, at := c.word(expected)
	if bytes.IndexByte(text, 0) >= 0 {
		c.MissAt(at, expected)
	}
	return names.FromModifiedUTF8(names.Unquote(text))
}

// referenceEnd ends a reference to a hidden class.
const referenceEnd = ";"

// klass takes the name of a class, or a reference to a hidden one:
//
//	@bci Main main ([Ljava/lang/String;)V 160 <appendix> member <vmtarget> ;
//
// which is kept as it is, with one space between its words.
func (c *cursor) klass() string {
	if c.Spaces(); !bytes.HasPrefix(c.Rest(), []byte("@")) {
		return c.name("a class")
	}
	var words []string
	for c.OK() {
		word := c.name(`the ";" of a reference to a hidden class`)
		words = append(words, word)
		if word == referenceEnd {
			break
		}
	}
	return strings.Join(words, " ")
}

// method takes the class, name and signature of a method.
func (c *cursor) method() methodKey {
	return methodKey{c.klass(), c.name("the name of a method"), c.name("a signature")}
}

// number takes a decimal number between min and max.
func (c *cursor) number(min, max int64, expected string) int64 {
	text, at := c.word(expected)
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < min || n > max {
		c.MissAt(at, expected)
		return 0
	}
	return n
}

// length takes the number of things that follow.
func (c *cursor) length(of string) int {
	return int(c.number(0, int64(len(c.Line)), "the number of "+of))
}

// flag takes 0 or 1.
func (c *cursor) flag() bool { return c.number(0, 1, "0 or 1") == 1 }

// cell takes a word of a MethodData: 0x and hexadecimal digits.
func (c *cursor) cell() uint64 {
	text, at := c.word("a word of data in hexadecimal")
	digits, ok := strings.CutPrefix(string(text), "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || !ok {
		c.MissAt(at, "a word of data in hexadecimal")
		return 0
	}
	return n
}

// keyword takes one word of the format.
func (c *cursor) keyword(want string) {
	if text, at := c.word(strconv.Quote(want)); string(text) != want {
		c.MissAt(at, strconv.Quote(want))
	}
}
