package jsondump

import (
	"cmp"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

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
