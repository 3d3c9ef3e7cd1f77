package iprof

import (
	"io"

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
