package iprof

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string and gives what stands between its quotation marks; plain
// reports that it has no escapes. It is valid until the scanner reads on.
func (s *scanner) text() (t []byte, plain, ok bool) {
	if !s.token('"') {
		return nil, false, false
	}
	start, union := s.pos, byte(0)
	for plain = true; ; {
		c := s.buf[s.pos]
		for classes[c]&endsPlain == 0 {
			union |= c
			s.pos++
			c = s.buf[s.pos]
		}
		switch {
		case c == '\\':
			plain = false
			if !s.escape() {
				return nil, false, false
			}
		case c != '"':
			return nil, false, false
		default:
			t = s.buf[start:s.pos]
			if union >= utf8.RuneSelf && !utf8.Valid(t) {
				s.pos = start
				return nil, false, false
			}
			s.pos++
			return t, plain, true
		}
	}
}

// escape reads the escape that begins here.
func (s *scanner) escape() bool {
	s.pos++
	switch s.buf[s.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return true
	case 'u':
		for range 4 {
			s.pos++
			if c := s.buf[s.pos]; !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
				return false
			}
		}
		s.pos++
		return true
	}
	return false
}

// key reads the key of an object's member and the colon. A key with escapes is
// not taken: no key that means something has one.
func (s *scanner) key() (k []byte, ok bool) {
	k, plain, ok := s.text()
	if !ok || !plain || !s.token(':') {
		return nil, false
	}
	return k, true
}

var escaped = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape appends what a string means. Half of a surrogate pair, which Java's
// names may hold, is encoded like any other character.
func unescape(b, t []byte) []byte {
	for i := 0; i < len(t); {
		if t[i] != '\\' {
			b = append(b, t[i])
			i++
			continue
		}
		if t[i+1] != 'u' {
			c := t[i+1]
			if e, ok := escaped[c]; ok {
				c = e
			}
			b = append(b, c)
			i += 2
			continue
		}
		r := unit(t[i+2:])
		i += 6
		if utf16.IsSurrogate(r) && i+6 <= len(t) && t[i] == '\\' && t[i+1] == 'u' {
			if pair := utf16.DecodeRune(r, unit(t[i+2:])); pair != utf8.RuneError {
				r = pair
				i += 6
			}
		}
		b = appendUnit(b, r)
	}
	return b
}

// unit is the UTF-16 code unit of an escape.
func unit(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits[:4]), 16, 16)
	return rune(n)
}

// appendUnit appends a character, or half of a surrogate pair.
func appendUnit(b []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
	}
	return utf8.AppendRune(b, r)
}
