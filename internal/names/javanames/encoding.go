package javanames

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const surrogateLead = 0xed

// FromModifiedUTF8 converts a name from the modified UTF-8 of class files and VMs to UTF-8. Modified UTF-8 encodes a
// character beyond U+FFFF as two surrogates of three bytes each.
func FromModifiedUTF8(s string) string {
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

// surrogate decodes the surrogate at the start of s. It returns 0 if s starts otherwise.
func surrogate(s string) rune {
	if len(s) < 3 || s[0] != surrogateLead || s[1] < 0xa0 || s[1] > 0xbf || s[2]&0xc0 != 0x80 {
		return 0
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f)
}

// ToModifiedUTF8 is the inverse of FromModifiedUTF8.
func ToModifiedUTF8(s string) string {
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

// HotSpot quotes names and signatures of methods in headers. Characters other than printable ASCII become \uXXXX, in
// UTF-16. A backslash is not quoted, so an unquoted name can look quoted.

const (
	quoteMark   = `\u`
	quoteLength = len(`\uXXXX`)
)

// Unquote removes HotSpot's quoting of names. It leaves escapes that HotSpot does not write, and escapes of characters
// that archives cannot contain, such as half a surrogate pair or NUL.
func Unquote(quoted []byte) string {
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

// quotedRune decodes the quoted character at the start of s and returns its length in bytes, 0 if s starts otherwise.
func quotedRune(s string) (r rune, n int) {
	r = quotedUnit(s)
	switch {
	case utf16.IsSurrogate(r):
		r = utf16.DecodeRune(r, quotedUnit(s[quoteLength:]))
		if r != utf8.RuneError {
			return r, 2 * quoteLength
		}
	case r > 0 && r < ' ' || r >= 0x7f:
		return r, quoteLength
	}
	return 0, 0
}

// quotedUnit decodes the \uXXXX at the start of s. It returns 0 if s starts otherwise.
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

// AppendQuoted appends a name in HotSpot's quoting. It is the inverse of Unquote.
func AppendQuoted(b []byte, name string) []byte {
	for i := 0; i < len(name); {
		if c := name[i]; c >= ' ' && c < 0x7f {
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && n == 1 { // invalid UTF-8
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
