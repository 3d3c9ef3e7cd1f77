package jsondump

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/reader"
)

// printRaw prints s. The bufio.Writer returns its first error from each later call. So the other methods ignore errors,
// and the next call of raw records the error.
func (p *printer) printRaw(s string) {
	if _, err := p.w.WriteString(s); err != nil {
		p.Fail(err)
	}
}

// printComma prints a comma before element i of a list, unless i is 0.
func (p *printer) printComma(i int) {
	if i > 0 {
		p.printRaw(",")
	}
}

func (p *printer) printFieldKey(key string) {
	p.printRaw(`,"`)
	p.printRaw(key)
	p.printRaw(`":`)
}

func (p *printer) printUint(v uint64) {
	_, _ = p.w.Write(strconv.AppendUint(p.w.AvailableBuffer(), v, 10))
}

func (p *printer) printInt(v int64) {
	_, _ = p.w.Write(strconv.AppendInt(p.w.AvailableBuffer(), v, 10))
}

func (p *printer) printUintField(key string, v uint64) {
	p.printFieldKey(key)
	p.printUint(v)
}

func (p *printer) printIntField(key string, v int64) {
	p.printFieldKey(key)
	p.printInt(v)
}

// printNonzeroField prints a key and a number unless v is 0.
func (p *printer) printNonzeroField(key string, v uint64) {
	if v != 0 {
		p.printUintField(key, v)
	}
}

// printHexDigits prints 16 hexadecimal digits.
func (p *printer) printHexDigits(v uint64) { p.printHexBytes(binary.BigEndian.AppendUint64(nil, v)) }

// printHexBytes prints two hexadecimal digits for each byte.
func (p *printer) printHexBytes(v []byte) {
	_, _ = p.w.Write(hex.AppendEncode(p.w.AvailableBuffer(), v))
}

func (p *printer) printHexField(key string, v uint64) {
	p.printBytesField(key, binary.BigEndian.AppendUint64(nil, v))
}

func (p *printer) printBytesField(key string, v []byte) {
	p.printFieldKey(key)
	p.printRaw(`"`)
	p.printHexBytes(v)
	p.printRaw(`"`)
}

func printUintList[T uint8 | uint32 | uint64](p *printer, key string, values []T) {
	p.printFieldKey(key)
	p.printList(len(values), func(i int) { p.printUint(uint64(values[i])) })
}

// printList prints a list of n elements up to the first error.
func (p *printer) printList(n int, print func(i int)) {
	p.printRaw("[")
	for i := 0; i < n && p.Err == nil; i++ {
		p.printComma(i)
		print(i)
	}
	p.printRaw("]")
}

// printQuoted prints text that needs no escapes.
func (p *printer) printQuoted(text string) {
	p.printRaw(`"`)
	p.printRaw(text)
	p.printRaw(`"`)
}

func (p *printer) printName(n reader.Name) {
	p.text = n.AppendTo(p.text[:0])
	p.printString(p.text)
}

// printOptionalName prints a key and a name unless the name is empty.
func (p *printer) printOptionalName(key string, n reader.Name) {
	if n.Len() > 0 {
		p.printFieldKey(key)
		p.printName(n)
	}
}

// printString prints text as a JSON string. The package comment has the encoding of invalid UTF-8.
func (p *printer) printString(text []byte) {
	p.printRaw(`"`)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			_, _ = p.w.Write(escape.AppendInvalid(p.w.AvailableBuffer(), text[0]))
		case escape.Unsafe(r):
			_, _ = p.w.Write(escape.AppendEscape(p.w.AvailableBuffer(), r))
		case r == '"':
			p.printRaw(`\"`)
		case r == '\\':
			p.printRaw(`\\`)
		default:
			_, _ = p.w.Write(text[:size])
		}
		text = text[size:]
	}
	p.printRaw(`"`)
}
