package iprof

import (
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/parse"
)

// A scanner reads JSON text through a window. Its methods read one token each,
// and report false where that is not the next one; pos is then at the byte that
// does not fit. Behind the window stands a NUL, which fits nothing: at pos ==
// end the text may go on, and whoever reads an element tries again from its
// beginning with a larger window.
type scanner struct {
	r        io.Reader
	buf      []byte
	pos, end int               // buf[pos:end] is not read yet, buf[end] is NUL
	base     int64             // where in the text buf begins
	err      error             // of r, io.EOF at the end
	exceeded *parse.LimitError // the limit for which a value was refused, nil for none
}

// firstWindow is the size of the window until an element needs a larger one.
const firstWindow = 64 << 10

func newScanner(r io.Reader) scanner { return scanner{r: r, buf: make([]byte, firstWindow)} }

// offset is where in the text the scanner stands.
func (s *scanner) offset() int64 { return s.base + int64(s.pos) }

// more reads on behind the text from mark, which moves to the front, and goes
// back to it. It at least doubles that text, so that reading an element again
// and again costs no more than twice. It reports false if nothing is left.
func (s *scanner) more(mark int) bool {
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

// rest counts what is left of the text.
func (s *scanner) rest() int64 {
	left := int64(s.end - s.pos)
	if s.err == nil {
		n, _ := io.Copy(io.Discard, s.r)
		left += n
	}
	return left
}

// byteClass says what a byte may be in JSON text.
type byteClass uint8

const (
	blank      byteClass = 1 << iota // between tokens
	endsPlain                        // a quotation mark, a backslash, or no part of a string at all
	endsNumber                       // may stand behind a number
)

var classes = func() (c [256]byteClass) {
	for _, b := range " \t\r\n" {
		c[b] |= blank | endsNumber
	}
	for _, b := range ",]}" {
		c[b] |= endsNumber
	}
	for b := range 0x20 {
		c[b] |= endsPlain
	}
	c['"'] |= endsPlain
	c['\\'] |= endsPlain
	return c
}()

func (s *scanner) blanks() {
	for classes[s.buf[s.pos]]&blank != 0 {
		s.pos++
	}
}

// token reads one byte that is a token.
func (s *scanner) token(c byte) bool {
	if s.buf[s.pos] != c {
		if s.blanks(); s.buf[s.pos] != c {
			return false
		}
	}
	s.pos++
	return true
}

// integer reads a number that is an integer of 64 bits in its one spelling.
func (s *scanner) integer() (n int64, ok bool) {
	s.blanks()
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

// value reads any value.
func (s *scanner) value(depth int) bool {
	s.blanks()
	switch s.buf[s.pos] {
	case '{':
		return s.list('}', depth, func() bool {
			_, _, ok := s.text()
			return ok && s.token(':') && s.value(depth+1)
		})
	case '[':
		return s.list(']', depth, func() bool { return s.value(depth + 1) })
	case '"':
		_, _, ok := s.text()
		return ok
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// list reads an object or an array whose members are read by member.
func (s *scanner) list(end byte, depth int, member func() bool) bool {
	if depth >= parse.MaxNesting {
		s.exceeded = parse.Exceeded("values nested in more than %d others", parse.MaxNesting)
		return false
	}
	s.pos++
	if s.token(end) {
		return true
	}
	for {
		if !member() {
			return false
		}
		if s.token(end) {
			return true
		}
		if !s.token(',') {
			return false
		}
	}
}

func (s *scanner) word(w string) bool {
	for i := range len(w) {
		if s.buf[s.pos] != w[i] {
			return false
		}
		s.pos++
	}
	return true
}

// number reads any number.
func (s *scanner) number() bool {
	if s.buf[s.pos] == '-' {
		s.pos++
	}
	if s.buf[s.pos] == '0' {
		s.pos++
	} else if !s.digits() {
		return false
	}
	if s.buf[s.pos] == '.' {
		if s.pos++; !s.digits() {
			return false
		}
	}
	if s.buf[s.pos]|0x20 == 'e' {
		s.pos++
		if c := s.buf[s.pos]; c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return false
		}
	}
	return classes[s.buf[s.pos]]&endsNumber != 0
}

func (s *scanner) digits() bool {
	first := s.pos
	for s.buf[s.pos]-'0' <= 9 {
		s.pos++
	}
	return s.pos > first
}

// An output gathers JSON text and writes it in large pieces.
type output struct {
	w   io.Writer
	b   []byte
	err error
}

const outputSize = 64 << 10

// done writes what is there if it is enough, and reports whether to go on.
func (o *output) done() error {
	if len(o.b) >= outputSize {
		return o.flush()
	}
	return o.err
}

func (o *output) flush() error {
	if o.err == nil {
		_, o.err = o.w.Write(o.b)
	}
	o.b = o.b[:0]
	return o.err
}

func (o *output) raw(text string) { o.b = append(o.b, text...) }
func (o *output) integer(n int64) { o.b = strconv.AppendInt(o.b, n, 10) }

// comma stands in front of all but the first of a list.
func (o *output) comma(n int) {
	if n > 0 {
		o.b = append(o.b, ',')
	}
}

// text writes a string, which may hold halves of surrogate pairs.
func (o *output) text(t []byte) {
	o.b = append(o.b, '"')
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
		o.b = append(o.b, t[start:i]...)
		i += o.escape(t[i:])
		start = i
	}
	o.b = append(append(o.b, t[start:]...), '"')
}

// escape writes the character at the front of t, and gives its size.
func (o *output) escape(t []byte) int {
	switch c := t[0]; {
	case c == '"' || c == '\\':
		o.b = append(o.b, '\\', c)
	case c < utf8.RuneSelf:
		for letter, means := range escaped {
			if means == c {
				o.b = append(o.b, '\\', letter)
				return 1
			}
		}
		o.b = fmt.Appendf(o.b, `\u%04x`, c)
	default:
		if len(t) >= 3 {
			if half := rune(c&0x0f)<<12 | rune(t[1]&0x3f)<<6 | rune(t[2]&0x3f); c == 0xed && utf16.IsSurrogate(half) {
				o.b = fmt.Appendf(o.b, `\u%04x`, half)
				return 3
			}
		}
		o.b = append(o.b, "\uFFFD"...)
	}
	return 1
}
