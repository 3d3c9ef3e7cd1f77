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

const (
	quoteMark   = `\u`
	quoteLength = len(`\uXXXX`)
)

// unquoteName undoes HotSpot's quoting. What HotSpot would not have quoted so,
// and what cannot be part of a name of ours (half a surrogate pair, a NUL),
// stays as it is.
func unquoteName(quoted []byte) string {
	s := string(quoted)
	if !strings.Contains(s, quoteMark) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		if r, n := quotedRune(s); n > 0 {
			b.WriteRune(r)
			s = s[n:]
			continue
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

// quotedRune decodes the character that is quoted at the front of s in n bytes;
// n is 0 if there is none.
func quotedRune(s string) (r rune, n int) {
	r = quotedUnit(s)
	switch {
	case utf16.IsSurrogate(r):
		if r = utf16.DecodeRune(r, quotedUnit(s[quoteLength:])); r != utf8.RuneError {
			return r, 2 * quoteLength
		}
	case r > 0 && r < ' ' || r >= 0x7f:
		return r, quoteLength
	}
	return 0, 0
}

// quotedUnit decodes \uXXXX at the front of s, 0 if there is none.
func quotedUnit(s string) rune {
	if len(s) < quoteLength || !strings.HasPrefix(s, quoteMark) {
		return 0
	}
	digits := s[len(quoteMark):quoteLength]
	n, err := strconv.ParseUint(digits, 16, 16)
	if err != nil || strings.ToLower(digits) != digits {
		return 0
	}
	return rune(n)
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
