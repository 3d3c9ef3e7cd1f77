package iprof

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/formats/parse"
)

// A scanner reads JSON text through a window. Each method reads one token, or returns false and leaves pos at the
// first byte that does not match. buf[end] is a NUL, which matches nothing. At pos == end the text can continue, so
// the caller reads the element again from its start with a larger window.
type scanner struct {
	r        io.Reader
	buf      []byte
	pos, end int               // buf[pos:end] is unread, buf[end] is NUL
	base     int64             // text offset of buf
	err      error             // error of r, io.EOF at the end
	exceeded *parse.LimitError // exceeded limit of a value, or nil
}

const firstWindow = 64 << 10

func newScanner(r io.Reader) scanner { return scanner{r: r, buf: make([]byte, firstWindow)} }

func (s *scanner) textOffset() int64 { return s.base + int64(s.pos) }

// readMore moves the text from mark to the front, appends more, and sets pos to 0. It at least doubles the text, so
// rereading an element takes linear time. It returns false at the end of the input.
func (s *scanner) readMore(mark int) bool {
	kept := s.end - mark
	if kept > parse.MaxItem {
		s.exceeded = parse.Exceeded("an item of more than %d bytes", parse.MaxItem)
		return false
	}
	buf := s.buf
	if kept > len(buf)/4 {
		buf = make([]byte, 4*kept)
	}
	copy(buf, s.buf[mark:s.end])
	s.base += int64(mark)
	s.buf, s.pos, s.end = buf, 0, kept
	for idle := 0; s.err == nil && s.end < 2*kept+1; idle++ {
		var n int
		n, s.err = s.r.Read(buf[s.end : len(buf)-1])
		s.end += n
		if n > 0 {
			idle = 0
		} else if s.err == nil && idle > 100 {
			s.err = io.ErrNoProgress
		}
	}
	buf[s.end] = 0
	return s.end > kept
}

// countRest consumes the rest of the input and returns its number of bytes.
func (s *scanner) countRest() int64 {
	left := int64(s.end - s.pos)
	if s.err == nil {
		n, _ := io.Copy(io.Discard, s.r)
		left += n
	}
	return left
}

// A byteClass is the set of roles of a byte in JSON text.
type byteClass uint8

const (
	blank     byteClass = 1 << iota // allowed between tokens
	endsPlain                       // ends a run of plain characters in a string
)

var classes = func() (c [256]byteClass) {
	for _, b := range " \t\r\n" {
		c[b] |= blank
	}
	for b := range 0x20 {
		c[b] |= endsPlain
	}
	c['"'] |= endsPlain
	c['\\'] |= endsPlain
	return c
}()

func (s *scanner) skipBlanks() {
	for classes[s.buf[s.pos]]&blank != 0 {
		s.pos++
	}
}

func (s *scanner) readToken(c byte) bool {
	if s.buf[s.pos] != c {
		if s.skipBlanks(); s.buf[s.pos] != c {
			return false
		}
	}
	s.pos++
	return true
}

// readInteger reads a 64-bit integer in canonical form.
func (s *scanner) readInteger() (n int64, ok bool) {
	s.skipBlanks()
	negative := s.buf[s.pos] == '-'
	if negative {
		s.pos++
	}
	first := s.pos
	v := uint64(0)
	for c := s.buf[s.pos] - '0'; c <= 9; c = s.buf[s.pos] - '0' {
		v = v*10 + uint64(c)
		s.pos++
	}
	digits := s.pos - first
	limit := uint64(1<<63 - 1)
	if negative {
		limit++
	}
	if digits == 0 || digits > 19 || v > limit || s.buf[first] == '0' && (digits > 1 || negative) {
		return 0, false
	}
	if negative {
		return -int64(v), true
	}
	return int64(v), true
}

// readStringToken reads a string and returns the bytes between its quotation marks, which are valid until the next
// read. plain reports whether there are no escapes.
func (s *scanner) readStringToken() (t []byte, plain, ok bool) {
	if !s.readToken('"') {
		return nil, false, false
	}
	start := s.pos
	union := byte(0)
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
			if !s.skipEscape() {
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

func (s *scanner) skipEscape() bool {
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

// readMemberKey reads the key of a member and the colon. It rejects escapes, since known keys have none.
func (s *scanner) readMemberKey() (k []byte, ok bool) {
	k, plain, ok := s.readStringToken()
	if !ok || !plain || !s.readToken(':') {
		return nil, false
	}
	return k, true
}

var escaped = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape appends the unescaped string. It encodes lone surrogates, which Java's names can contain, like other
// characters.
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
		r := codeUnit(t[i+2:])
		i += 6
		if utf16.IsSurrogate(r) && i+6 <= len(t) && t[i] == '\\' && t[i+1] == 'u' {
			if pair := utf16.DecodeRune(r, codeUnit(t[i+2:])); pair != utf8.RuneError {
				r = pair
				i += 6
			}
		}
		b = appendCodeUnit(b, r)
	}
	return b
}

// codeUnit decodes the four digits of an escape as a UTF-16 code unit.
func codeUnit(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits[:4]), 16, 16)
	return rune(n)
}

// appendCodeUnit appends a character or a lone surrogate.
func appendCodeUnit(b []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
	}
	return utf8.AppendRune(b, r)
}

// skipValue skips any value. At a mistake it leaves pos after the last token before it.
func (s *scanner) skipValue() bool {
	tokens := json.NewDecoder(bytes.NewReader(s.buf[s.pos:s.end]))
	tokens.UseNumber()
	for depth := 0; ; {
		token, err := tokens.Token()
		at := int(tokens.InputOffset())
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			s.pos = s.end
			return false
		case token == json.Delim('[') || token == json.Delim('{'):
			depth++
		case token == json.Delim(']') || token == json.Delim('}'):
			depth--
		}
		if depth > parse.MaxNesting {
			s.exceeded = parse.Exceeded("values nested in more than %d others", parse.MaxNesting)
			at--
		}
		if err != nil || s.exceeded != nil {
			s.pos += at
			return false
		}
		if depth == 0 {
			return s.endValue(at, token)
		}
	}
}

// endValue skips a value of size bytes, whose last token is given. A number at the end of the text can continue.
func (s *scanner) endValue(size int, last json.Token) bool {
	if !utf8.Valid(s.buf[s.pos : s.pos+size]) {
		return false
	}
	s.pos += size
	_, number := last.(json.Number)
	return !number || s.pos < s.end
}

// An output writes JSON. Flush returns its first error.
type output struct{ *bufio.Writer }

const outputSize = 64 << 10

// firstError returns the first error of the writer.
func (o output) firstError() error {
	_, err := o.Write(nil)
	return err
}

func (o output) writeRaw(text string) { _, _ = o.WriteString(text) }
func (o output) writeInteger(n int64) { _, _ = o.Write(strconv.AppendInt(o.AvailableBuffer(), n, 10)) }
func (o output) writeString(t []byte) { _, _ = o.Write(appendString(o.AvailableBuffer(), t)) }

// writeComma writes a comma, except before item 0 of a list.
func (o output) writeComma(n int) {
	if n > 0 {
		o.writeRaw(",")
	}
}

func appendString(b, t []byte) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(t); {
		c := t[i]
		if c < utf8.RuneSelf && classes[c]&endsPlain == 0 {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRune(t[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		var size int
		b, size = appendEscape(append(b, t[start:i]...), t[i:])
		i += size
		start = i
	}
	return append(append(b, t[start:]...), '"')
}

// appendEscape appends the escape of the character at the start of t. size is its length in bytes.
func appendEscape(b, t []byte) (_ []byte, size int) {
	switch c := t[0]; {
	case c == '"' || c == '\\':
		return append(b, '\\', c), 1
	case c < utf8.RuneSelf:
		for letter, means := range escaped {
			if means == c {
				return append(b, '\\', letter), 1
			}
		}
		return fmt.Appendf(b, `\u%04x`, c), 1
	case c == 0xed && len(t) >= 3 && utf16.IsSurrogate(threeByteRune(t)):
		return fmt.Appendf(b, `\u%04x`, threeByteRune(t)), 3
	}
	return append(b, "\uFFFD"...), 1
}

// threeByteRune decodes three bytes like UTF-8, also if they are a lone surrogate.
func threeByteRune[T string | []byte](t T) rune {
	return rune(t[0]&0x0f)<<12 | rune(t[1]&0x3f)<<6 | rune(t[2]&0x3f)
}
