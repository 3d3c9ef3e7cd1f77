package hotspot

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// In headers HotSpot quotes names and signatures of methods: what is not
// printable ASCII is \uXXXX, in UTF-16. A backslash itself is not quoted, so
// that a name may look quoted which is not; it then stays as it is.

const quoteLength = len(`\uXXXX`)

// unquote undoes HotSpot's quoting.
func unquote(s string) string {
	if !strings.Contains(s, `\u`) {
		return s
	}
	var units []uint16
	for len(s) > 0 {
		if u, ok := quotedUnit(s); ok {
			units, s = append(units, u), s[quoteLength:]
			continue
		}
		units, s = append(units, uint16(s[0])), s[1:]
	}
	name := string(utf16.Decode(units))
	if strings.ContainsRune(name, utf8.RuneError) || strings.IndexByte(name, 0) >= 0 {
		return "" // a lone surrogate or a NUL: no name of ours
	}
	return name
}

func quotedUnit(s string) (unit uint16, ok bool) {
	if len(s) < quoteLength || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:quoteLength], 16, 16)
	return uint16(n), err == nil
}

// unquoteName undoes HotSpot's quoting where quoting again gives the same.
func unquoteName(quoted []byte) string {
	s := string(quoted)
	if name := unquote(s); string(appendQuoted(nil, name)) == s {
		return name
	}
	return s
}

// appendQuoted appends a name as HotSpot quotes it.
func appendQuoted(b []byte, name string) []byte {
	for i := 0; i < len(name); {
		if c := name[i]; c >= ' ' && c < 0x7f {
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && n == 1 { // no character at all
			b = append(b, name[i])
			i++
			continue
		}
		for _, u := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, u)
		}
		i += n
	}
	return b
}
