package escape

import (
	"io"
	"unicode/utf8"
)

// A Writer escapes unsafe characters except line feeds and tabs. It holds back an incomplete character until the next
// Write, so callers must call Close after the last one.
type Writer struct {
	w    io.Writer
	held []byte // start of an incomplete character
	out  []byte // scratch
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes text. It returns the number of bytes taken from p, not the length of the escapes.
func (w *Writer) Write(p []byte) (int, error) {
	text := p
	if len(w.held) > 0 {
		text = append(w.held, p...)
	}
	whole := len(text) - incompleteSuffix(text)
	if err := w.escapeText(text[:whole]); err != nil {
		return 0, err
	}
	w.held = append([]byte(nil), text[whole:]...)
	return len(p), nil
}

// Close escapes an incomplete character at the end of the text.
func (w *Writer) Close() error {
	held := w.held
	w.held = nil
	return w.escapeText(held)
}

// escapeText writes whole characters.
func (w *Writer) escapeText(text []byte) error {
	plain := plainPrefix(text)
	if plain == len(text) {
		return w.writeBytes(text)
	}
	out := append(w.out[:0], text[:plain]...)
	for text = text[plain:]; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			out = AppendInvalid(out, text[0])
		case r != '\n' && r != '\t' && Unsafe(r):
			out = AppendEscape(out, r)
		default:
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	w.out = out
	return w.writeBytes(out)
}

func (w *Writer) writeBytes(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := w.w.Write(b)
	return err
}

// plainPrefix returns the length of the printable ASCII, line feeds and tabs at the front of text.
func plainPrefix(text []byte) int {
	for i, c := range text {
		if c-' ' >= 0x7f-' ' && c != '\n' && c != '\t' {
			return i
		}
	}
	return len(text)
}

// incompleteSuffix returns the length of an unfinished character at the end of text.
func incompleteSuffix(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		tail := text[len(text)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
