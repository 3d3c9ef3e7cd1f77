package jsondump

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/layout"
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

func readTypeNames(t reader.Type) (name, loader reader.Name, err error) {
	name, err1 := t.Name()
	loader, err2 := t.Loader()
	return name, loader, cmp.Or(err1, err2)
}

// printTypeRef prints name and loader of a type, or null for the zero Type.
func (p *printer) printTypeRef(t reader.Type) {
	if !t.Valid() {
		p.printRaw("null")
		return
	}
	name, loader, err := readTypeNames(t)
	if p.Fail(err) {
		return
	}
	p.printRaw(`{"name":`)
	p.printName(name)
	p.printOptionalName("loader", loader)
	p.printRaw("}")
}

func (p *printer) printMethodKey(m reader.Method) {
	k, err := m.Key()
	if p.Fail(err) {
		return
	}
	p.printRaw(`"name":`)
	p.printString([]byte(k.Name))
	p.printOptionalString("class", k.Class)
	p.printOptionalString("signature", k.Signature)
	p.printOptionalString("loader", k.Loader)
}

func (p *printer) printOptionalString(key, text string) {
	if text != "" {
		p.printFieldKey(key)
		p.printString([]byte(text))
	}
}

// printMethodRef prints the key of a method, or null for the zero Method.
func (p *printer) printMethodRef(m reader.Method) {
	if !m.Valid() {
		p.printRaw("null")
		return
	}
	p.printRaw("{")
	p.printMethodKey(m)
	p.printRaw("}")
}

func (p *printer) printCodeAndContext(id uint64, c reader.Context, inContext bool) {
	p.printRaw(`"code":"`)
	p.printHexDigits(id)
	p.printRaw(`"`)
	if inContext {
		p.printFrames(c)
	}
}

func (p *printer) printFrames(c reader.Context) {
	frames, err := c.Frames()
	if p.Fail(err) {
		return
	}
	p.printFieldKey("context")
	p.printList(len(frames), func(i int) {
		p.printRaw(`{"caller":`)
		p.printMethodRef(frames[i].Caller)
		p.printIntField("point", int64(frames[i].Point))
		p.printRaw("}")
	})
}

// printProfileRef prints the method, code id and context of a profile.
func (p *printer) printProfileRef(q reader.Profile) {
	m, err1 := q.Method()
	c, inContext, err2 := q.Context()
	if !p.Fail(cmp.Or(err1, err2)) {
		p.printMethodInContext(m, q.Code(), c, inContext)
	}
}

func (p *printer) printMethodInContext(m reader.Method, id uint64, c reader.Context, inContext bool) {
	p.printRaw(`{"method":`)
	p.printMethodRef(m)
	p.printRaw(",")
	p.printCodeAndContext(id, c, inContext)
	p.printRaw("}")
}

// printContextRef prints a context like a profile with code id 0.
func (p *printer) printContextRef(n layout.Ref) {
	c, err := p.s.ContextAt(n)
	if p.Fail(err) {
		return
	}
	m, err := c.Method()
	if !p.Fail(err) {
		p.printMethodInContext(m, 0, c, true)
	}
}
