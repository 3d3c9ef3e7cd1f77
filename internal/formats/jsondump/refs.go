package jsondump

import (
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func typeNames(t reader.Type) (name, loader reader.Name, err error) {
	name, err = t.Name()
	if err != nil {
		return name, loader, err
	}
	loader, err = t.Loader()
	return name, loader, err
}

// typeRef prints name and loader of a type, or null for the zero Type.
func (p *printer) typeRef(t reader.Type) {
	if !t.Valid() {
		p.raw("null")
		return
	}
	name, loader, err := typeNames(t)
	if p.failed(err) {
		return
	}
	p.raw(`{"name":`)
	p.name(name)
	p.optionalName("loader", loader)
	p.raw("}")
}

func (p *printer) key(m reader.Method) {
	k, err := m.Key()
	if p.failed(err) {
		return
	}
	p.raw(`"name":`)
	p.string([]byte(k.Name))
	p.optionalText("class", k.Class)
	p.optionalText("signature", k.Signature)
	p.optionalText("loader", k.Loader)
}

func (p *printer) optionalText(key, text string) {
	if text != "" {
		p.field(key)
		p.string([]byte(text))
	}
}

// methodRef prints the key of a method, or null for the zero Method.
func (p *printer) methodRef(m reader.Method) {
	if !m.Valid() {
		p.raw("null")
		return
	}
	p.raw("{")
	p.key(m)
	p.raw("}")
}

// code prints a code id, and also the context c if inContext is set.
func (p *printer) code(id uint64, c reader.Context, inContext bool) {
	p.raw(`"code":"`)
	p.digits(id)
	p.raw(`"`)
	if inContext {
		p.frames(c)
	}
}

func (p *printer) frames(c reader.Context) {
	frames, err := c.Frames()
	if p.failed(err) {
		return
	}
	p.field("context")
	p.raw("[")
	for i, f := range frames {
		p.comma(i)
		p.raw(`{"caller":`)
		p.methodRef(f.Caller)
		p.signed("point", int64(f.Point))
		p.raw("}")
	}
	p.raw("]")
}

// profileRef prints the method, code id and context of a profile.
func (p *printer) profileRef(q reader.Profile) {
	m, err := q.Method()
	if p.failed(err) {
		return
	}
	c, inContext, err := q.Context()
	if p.failed(err) {
		return
	}
	p.raw(`{"method":`)
	p.methodRef(m)
	p.raw(",")
	p.code(q.Code(), c, inContext)
	p.raw("}")
}

// contextRef prints a context like a profile with code id 0.
func (p *printer) contextRef(n layout.Ref) {
	c, err := p.s.ContextAt(n)
	if p.failed(err) {
		return
	}
	m, err := c.Method()
	if p.failed(err) {
		return
	}
	p.raw(`{"method":`)
	p.methodRef(m)
	p.raw(",")
	p.code(0, c, true)
	p.raw("}")
}
