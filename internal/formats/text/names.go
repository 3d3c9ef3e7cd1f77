package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/parse"
	"github.com/profarc/profarc/layout"
)

// plain are the ASCII characters that a bare name may have anywhere. The others
// separate a name from its surroundings, or cannot be seen.
var plain = func() (p [utf8.RuneSelf]bool) {
	for c := '!'; c <= '~'; c++ {
		p[c] = c != '"' && c != '{' && c != '}' && c != '=' && c != '+'
	}
	return p
}()

// bare reports whether a name needs no quotes.
func bare(name []byte) bool {
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
		if !plain[c] || c == ':' && name[i+1] == ':' {
			return false
		}
		i++
	}
	return true
}

// appendName appends a name, in quotes if it has to be.
func appendName(b, name []byte) []byte {
	if bare(name) {
		return append(b, name...)
	}
	return appendQuoted(b, name)
}

// appendWithout appends a name, in quotes also if it has a character.
func appendWithout(b, name []byte, c byte) []byte {
	if bytes.IndexByte(name, c) >= 0 {
		return appendQuoted(b, name)
	}
	return appendName(b, name)
}

const hexDigits = "0123456789abcdef"

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
				b = append(b, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
			}
		default:
			b = append(b, name[:size]...)
		}
		name = name[size:]
	}
	return append(b, '"')
}

// quotedEnd returns the end of the quoted name with which token begins, after the
// closing quote, or -1 if it has none.
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

// unquote returns what a quoted name means, as a part of token if it has no
// escapes. bad is the place of a wrong escape, or -1.
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

// unescape returns the character of an escape and the size of the escape after
// the backslash, 0 if there is no such escape.
func unescape(b []byte) (c byte, size int) {
	switch {
	case len(b) == 0:
		return 0, 0
	case b[0] == '"' || b[0] == '\\':
		return b[0], 1
	case b[0] == 'n':
		return '\n', 1
	case b[0] == 'x' && len(b) >= 3:
		high, ok1 := parse.HexDigit(b[1])
		low, ok2 := parse.HexDigit(b[2])
		if ok1 && ok2 {
			return high<<4 | low, 3
		}
	}
	return 0, 0
}

// ParseMethod reads a method as a text has it, METHOD in the grammar; ok is false if it is none.
func ParseMethod(spelled string) (key layout.Key, ok bool) {
	k := keyReader{token: spelled}
	key = k.method()
	return key, k.bad == ""
}

// A keyReader parses the text of a method or type.
type keyReader struct {
	token string
	at    int
	bad   string // the missing character at at
}

func (k *keyReader) end() bool { return k.at == len(k.token) || k.bad != "" }

func (k *keyReader) miss(what string) {
	if k.bad == "" {
		k.bad = what
	}
}

// hasPrefix reports whether text follows.
func (k *keyReader) hasPrefix(text string) bool {
	return k.bad == "" && len(k.token)-k.at >= len(text) && k.token[k.at:k.at+len(text)] == text
}

func (k *keyReader) skip(text string) bool {
	if !k.hasPrefix(text) {
		return false
	}
	k.at += len(text)
	return true
}

// part takes a name: a quoted one, or a bare one up to a brace, or to a double
// colon or a parenthesis if it is before those.
func (k *keyReader) part(colons, parenthesis bool) string {
	if k.hasPrefix(`"`) {
		return k.quotedPart()
	}
	start := k.at
	for !k.end() && !k.hasPrefix("{") && !k.hasPrefix("}") && !k.hasPrefix(`"`) && !(colons && k.hasPrefix("::")) &&
		!(parenthesis && k.hasPrefix("(")) {
		k.at++
	}
	if k.at == start {
		k.miss(`a name; an empty one is ""`)
	}
	return k.token[start:k.at]
}

func (k *keyReader) quotedPart() string {
	rest := []byte(k.token[k.at:])
	end := quotedEnd(rest)
	if end < 0 {
		k.miss("a closing quote")
		return ""
	}
	name, bad := unquote(rest[:end])
	if bad >= 0 {
		k.at += bad
		k.miss(`an escape: \" \\ \n or \xHH`)
		return ""
	}
	k.at += end
	return string(name)
}

// loader takes the loader in braces, if there is one, and the end.
func (k *keyReader) loader() (name string) {
	if k.skip("{") {
		name = k.part(false, false)
		if !k.skip("}") {
			k.miss("}")
		}
	}
	if !k.end() {
		k.miss("the end of the name")
	}
	return name
}

// method takes a whole METHOD.
func (k *keyReader) method() (key layout.Key) {
	if !k.skip("::") {
		first := k.part(true, false)
		if k.end() {
			return layout.Key{Name: first}
		}
		if key.Class = first; !k.skip("::") {
			k.miss("the end of the name, or :: and the name of a method: a loader is that of a class")
		}
	}
	key.Name = k.part(true, true)
	switch {
	case k.hasPrefix("("):
		key.Signature = k.part(false, false)
	case k.skip("::"):
		key.Signature = k.part(false, false)
	}
	if key.Loader = k.loader(); key.Loader != "" && key.Class == "" {
		k.miss("a class before the method: a loader is that of a class")
	}
	return key
}
