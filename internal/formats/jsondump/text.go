package jsondump

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/reader"
)

// raw prints s. The bufio.Writer returns its first error from each later call. So the other methods ignore errors,
// and the next call of raw records the error.
func (p *printer) raw(s string) {
	if _, err := p.w.WriteString(s); err != nil {
		p.failed(err)
	}
}

// comma prints a comma before element i of a list, unless i is 0.
func (p *printer) comma(i int) {
	if i > 0 {
		p.raw(",")
	}
}

// field prints a comma and a key.
func (p *printer) field(key string) {
	p.raw(`,"`)
	p.raw(key)
	p.raw(`":`)
}

func (p *printer) number(v uint64) {
	_, _ = p.w.Write(strconv.AppendUint(p.w.AvailableBuffer(), v, 10))
}

func (p *printer) signedNumber(v int64) {
	_, _ = p.w.Write(strconv.AppendInt(p.w.AvailableBuffer(), v, 10))
}

func (p *printer) unsigned(key string, v uint64) {
	p.field(key)
	p.number(v)
}

func (p *printer) signed(key string, v int64) {
	p.field(key)
	p.signedNumber(v)
}

// optional prints a key and a number unless v is 0.
func (p *printer) optional(key string, v uint64) {
	if v != 0 {
		p.unsigned(key, v)
	}
}

// digits prints 16 hexadecimal digits.
func (p *printer) digits(v uint64) {
	b := p.w.AvailableBuffer()
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, hexDigits[v>>shift&15])
	}
	_, _ = p.w.Write(b)
}

const hexDigits = "0123456789abcdef"

func (p *printer) hex(key string, v uint64) {
	p.field(key)
	p.raw(`"`)
	p.digits(v)
	p.raw(`"`)
}

// bytes prints two hexadecimal digits for each byte.
func (p *printer) bytes(key string, v []byte) {
	p.field(key)
	p.raw(`"`)
	_, _ = hex.NewEncoder(p.w).Write(v)
	p.raw(`"`)
}

func list[T uint8 | uint32 | uint64](p *printer, key string, values []T) {
	p.field(key)
	p.raw("[")
	for i, v := range values {
		p.comma(i)
		p.number(uint64(v))
	}
	p.raw("]")
}

func (p *printer) name(n reader.Name) {
	p.text = n.AppendTo(p.text[:0])
	p.string(p.text)
}

// optionalName prints a key and a name unless the name is empty.
func (p *printer) optionalName(key string, n reader.Name) {
	if n.Len() > 0 {
		p.field(key)
		p.name(n)
	}
}

// string prints text as a JSON string. The package comment has the encoding of invalid UTF-8.
func (p *printer) string(text []byte) {
	p.raw(`"`)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			_, _ = p.w.Write(escape.AppendInvalid(p.w.AvailableBuffer(), text[0]))
		case escape.Unsafe(r):
			_, _ = p.w.Write(escape.Append(p.w.AvailableBuffer(), r))
		case r == '"':
			p.raw(`\"`)
		case r == '\\':
			p.raw(`\\`)
		default:
			_, _ = p.w.Write(text[:size])
		}
		text = text[size:]
	}
	p.raw(`"`)
}
