package hotspot

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// HotSpot spells a class in three ways. Internally it is java/util/Map$Entry;
// outwardly, in headers, java.util.Map$Entry; and as a type 'java/util/Map$Entry',
// 'java/util/Map$Entry'[] or {type array byte}. Archives have the internal name,
// of arrays the descriptor.

// internalClass is the internal name of a class in its outward spelling.
func internalClass(outward string) string {
	if at := hiddenAddress(outward, '/'); at >= 0 {
		return strings.ReplaceAll(outward[:at], ".", "/") + "+" + outward[at+1:]
	}
	return strings.ReplaceAll(outward, ".", "/")
}

// appendOutward appends the outward spelling of a class.
func appendOutward(b []byte, internal string) []byte {
	address := hiddenAddress(internal, '+')
	for i, c := range []byte(internal) {
		switch {
		case i == address:
			c = '/'
		case c == '/':
			c = '.'
		}
		b = append(b, c)
	}
	return b
}

// primitives are the element types of arrays as HotSpot spells them.
var primitives = map[string]byte{
	"bool": 'Z', "char": 'C', "float": 'F', "double": 'D',
	"byte": 'B', "short": 'S', "int": 'I', "long": 'J',
}

const (
	primitivePrefix = "{type array "
	primitiveSuffix = "}"
	arraySuffix     = "[]"
)

// typeName is the name that archives give a type that is spelled so; ok is
// false if no VM spells a type so.
func typeName(spelling string) (name string, ok bool) {
	dimensions := 0
	for strings.HasSuffix(spelling, arraySuffix) {
		spelling = spelling[:len(spelling)-len(arraySuffix)]
		dimensions++
	}
	if element, is := strings.CutPrefix(spelling, primitivePrefix); is {
		element, is = strings.CutSuffix(element, primitiveSuffix)
		code, known := primitives[element]
		return strings.Repeat("[", dimensions+1) + string(rune(code)), is && known
	}
	if len(spelling) < 3 || spelling[0] != '\'' || spelling[len(spelling)-1] != '\'' {
		return "", false
	}
	class := fromModified(spelling[1 : len(spelling)-1])
	if class[0] == '[' { // arrays are spelled otherwise
		return "", false
	}
	if dimensions == 0 {
		return class, true
	}
	return strings.Repeat("[", dimensions) + "L" + class + ";", true
}

// appendType appends the spelling of a type: the inverse of typeName.
func appendType(b []byte, name string) []byte {
	element := strings.TrimLeft(name, "[")
	dimensions := len(name) - len(element)
	if dimensions > 0 && len(element) == 1 {
		for spelling, code := range primitives {
			if code == element[0] {
				b = append(append(append(b, primitivePrefix...), spelling...), primitiveSuffix...)
				return append(b, strings.Repeat(arraySuffix, dimensions-1)...)
			}
		}
	}
	if dimensions > 0 && strings.HasPrefix(element, "L") {
		element = strings.TrimSuffix(element[1:], ";")
	}
	b = append(append(append(b, '\''), toModified(element)...), '\'')
	return append(b, strings.Repeat(arraySuffix, dimensions)...)
}

// HotSpot's strings are modified UTF-8: characters beyond U+FFFF are two
// surrogates of three bytes each. Archives have UTF-8.

// surrogateLead is the first byte of every encoded surrogate.
const surrogateLead = 0xed

func fromModified(s string) string {
	if strings.IndexByte(s, surrogateLead) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if r := utf16.DecodeRune(surrogate(s[i:]), surrogate(s[min(i+3, len(s)):])); r != utf8.RuneError {
			b.WriteRune(r)
			i += 6
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// surrogate decodes the surrogate at the front of s, 0 if there is none.
func surrogate(s string) rune {
	if len(s) < 3 || s[0] != surrogateLead || s[1] < 0xa0 || s[1] > 0xbf || s[2]&0xc0 != 0x80 {
		return 0
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f)
}

func toModified(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r > 0xffff }) < 0 {
		return s
	}
	var b []byte
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if high, low := utf16.EncodeRune(r); r > 0xffff {
			b = appendSurrogate(appendSurrogate(b, high), low)
		} else {
			b = append(b, s[:n]...)
		}
		s = s[n:]
	}
	return string(b)
}

func appendSurrogate(b []byte, r rune) []byte {
	return append(b, surrogateLead, 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
}
