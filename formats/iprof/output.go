package iprof

import (
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

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
