package text

import (
	"github.com/profarc/profarc/builder"
)

// refs know what the texts of types and methods that were met are in the
// builder, so that a line that names what was named before makes no garbage.
type refs struct {
	types   map[string]builder.TypeRef
	methods map[string]builder.MethodRef
	values  map[string]uint64 // of names in ValueSite entries
}

// maxRefs bounds what is remembered of each; then it begins anew.
const maxRefs = 1 << 16

func remember[V any](known *map[string]V, token string, v V) {
	if *known == nil || len(*known) >= maxRefs {
		*known = map[string]V{}
	}
	(*known)[token] = v
}

// typeRef takes a type, or - for none, that stands right here.
func (p *parser) typeRef() builder.TypeRef {
	start := p.At
	token := p.reference("a type, or -")
	if !p.OK() || string(token) == "-" {
		return 0
	}
	if ref, ok := p.refs.types[string(token)]; ok {
		return ref
	}
	k := keyReader{token: string(token)}
	key := builder.TypeKey{Name: k.part(false, false)}
	key.Loader = k.loader()
	if k.bad != "" {
		p.MissAt(start+k.at, k.bad)
		return 0
	}
	ref := p.b.Type(key)
	remember(&p.refs.types, k.token, ref)
	return ref
}

// methodRef takes a method, or - for none, that stands right here.
func (p *parser) methodRef() builder.MethodRef {
	start := p.At
	token := p.reference("a method, or -")
	if !p.OK() || string(token) == "-" {
		return 0
	}
	if ref, ok := p.refs.methods[string(token)]; ok {
		return ref
	}
	ref, text := p.newMethod(start, token)
	if p.OK() {
		remember(&p.refs.methods, text, ref)
	}
	return ref
}

// newMethod makes the method of a token that begins at start.
func (p *parser) newMethod(start int, token []byte) (ref builder.MethodRef, text string) {
	k := keyReader{token: string(token)}
	key := k.method()
	if k.bad != "" {
		p.MissAt(start+k.at, k.bad)
		return 0, ""
	}
	return p.b.Method(key), k.token
}

// someMethod takes the next token, a method.
func (p *parser) someMethod() builder.MethodRef {
	if !p.nextToken() || p.skipWord("-") {
		p.Miss("a method")
	}
	return p.methodRef()
}
