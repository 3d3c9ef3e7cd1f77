package text

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/profarc/profarc/layout"
)

// plain[c] reports whether the ASCII character c can occur anywhere in a bare name.
var isPlainASCII = func() (p [utf8.RuneSelf]bool) {
	for c := '!'; c <= '~'; c++ {
		p[c] = c != '"' && c != '{' && c != '}' && c != '=' && c != '+'
	}
	return p
}()

// isBareName reports whether a name can be written without quotes.
func isBareName(name []byte) bool {
	if len(name) == 0 || name[0] == '#' || name[0] == ':' || name[len(name)-1] == ':' || string(name) == "-" {
		return false
	}
	for i := 0; i < len(name); {
		c := name[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(name[i:])
			if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) {
				return false
			}
			i += size
			continue
		}
		if !isPlainASCII[c] || c == ':' && name[i+1] == ':' {
			return false
		}
		i++
	}
	return true
}

func appendName(b, name []byte) []byte {
	if isBareName(name) {
		return append(b, name...)
	}
	return appendQuoted(b, name)
}

// appendNameQuoting is like appendName, but also quotes a name that contains c.
func appendNameQuoting(b, name []byte, c byte) []byte {
	if bytes.IndexByte(name, c) >= 0 {
		return appendQuoted(b, name)
	}
	return appendName(b, name)
}

func appendQuoted(b, name []byte) []byte {
	b = append(b, '"')
	for len(name) > 0 {
		r, size := utf8.DecodeRune(name)
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', name[0])
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == utf8.RuneError && size == 1 || !unicode.IsPrint(r):
			for _, c := range name[:size] {
				b = fmt.Appendf(b, `\x%02x`, c)
			}
		default:
			b = append(b, name[:size]...)
		}
		name = name[size:]
	}
	return append(b, '"')
}

// quotedEnd returns the offset after the closing quote of the name at the start of token, or -1.
func quotedEnd(token []byte) (end int) {
	for i := 1; i < len(token); i++ {
		switch token[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// unquote decodes a quoted name. Without escapes, the result is a part of token. bad is the offset of an invalid
// escape, or -1.
func unquote(token []byte) (name []byte, bad int) {
	inside := token[1 : len(token)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside, -1
	}
	name = make([]byte, 0, len(inside))
	for i := 0; i < len(inside); i++ {
		if inside[i] != '\\' {
			name = append(name, inside[i])
			continue
		}
		c, size := unescape(inside[i+1:])
		if size == 0 {
			return nil, i + 1
		}
		name = append(name, c)
		i += size
	}
	return name, -1
}

// unescape decodes the escape after a backslash. size is its length in bytes, or 0 if it is invalid.
func unescape(b []byte) (c byte, size int) {
	text := string(b[:min(len(b), len("xHH"))])
	if text == "" || strings.IndexByte(`"\nx`, text[0]) < 0 {
		return 0, 0
	}
	v, _, rest, err := strconv.UnquoteChar(`\`+text, '"')
	if err != nil {
		return 0, 0
	}
	return byte(v), len(text) - len(rest)
}

// ParseMethod parses METHOD of the grammar. ok is false if spelled is malformed.
func ParseMethod(spelled string) (key layout.Key, ok bool) {
	c := newCursor([]byte(spelled))
	key = c.takeMethodKey()
	return key, c.OK()
}

// The methods below parse the token of a method or type, which is the whole Line of the cursor.

// atEnd reports whether nothing is left or there was a mismatch.
func (c *cursor) atEnd() bool { return !c.OK() || c.At == len(c.Line) }

func (c *cursor) startsWith(text string) bool {
	ahead := c.Cursor
	return ahead.Skip(text)
}

// takeKeyPart consumes a quoted or bare name. A brace ends a bare name, and so does a double colon if colons is set and
// a parenthesis if parenthesis is set.
func (c *cursor) takeKeyPart(colons, parenthesis bool) string {
	if c.startsWith(`"`) {
		return c.takeQuotedPart()
	}
	start := c.At
	for !c.atEnd() && !c.startsWith("{") && !c.startsWith("}") && !c.startsWith(`"`) &&
		!(colons && c.startsWith("::")) && !(parenthesis && c.startsWith("(")) {
		c.At++
	}
	if c.At == start {
		c.Miss(`a name; an empty one is ""`)
	}
	return string(c.Line[start:c.At])
}

func (c *cursor) takeQuotedPart() string {
	end := quotedEnd(c.Rest())
	if end < 0 {
		c.Miss("a closing quote")
		return ""
	}
	name, bad := unquote(c.Rest()[:end])
	if bad >= 0 {
		c.MissAt(c.At+bad, `an escape: \" \\ \n or \xHH`)
		return ""
	}
	c.At += end
	return string(name)
}

// takeLoader consumes an optional loader in braces. The token must end there.
func (c *cursor) takeLoader() (name string) {
	if c.Skip("{") {
		name = c.takeKeyPart(false, false)
		if !c.Skip("}") {
			c.Miss("}")
		}
	}
	if !c.atEnd() {
		c.Miss("the end of the name")
	}
	return name
}

func (c *cursor) takeMethodKey() (key layout.Key) {
	if !c.Skip("::") {
		first := c.takeKeyPart(true, false)
		if c.atEnd() {
			return layout.Key{Name: first}
		}
		key.Class = first
		if !c.Skip("::") {
			c.Miss("the end of the name, or :: and the name of a method: a loader is that of a class")
		}
	}
	key.Name = c.takeKeyPart(true, true)
	if c.startsWith("(") || c.Skip("::") {
		key.Signature = c.takeKeyPart(false, false)
	}
	key.Loader = c.takeLoader()
	if key.Loader != "" && key.Class == "" {
		c.Miss("a class before the method: a loader is that of a class")
	}
	return key
}
