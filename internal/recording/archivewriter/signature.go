package archivewriter

import (
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/layout"
)

type lists struct {
	of    []listed // list of each signature, indexed by SymbolRef-1; nil if no method has a signature
	parts []intern.SymbolRef

	places     []layout.Ref       // buffer for the parts of a list
	signatures []intern.SymbolRef // all signatures; nil after planSignatures
	seen       []bool             // whether the symbol is in signatures, indexed by SymbolRef-1
}

// A listed is a range of lists.parts. It is empty for a symbol stored as text.
type listed struct{ first, number uint32 }

func (l *lists) listOf(s intern.SymbolRef) []intern.SymbolRef {
	if l.of == nil || s == 0 {
		return nil
	}
	p := l.of[s-1]
	return l.parts[p.first : p.first+p.number]
}

func (p *plan) splitSignatures() {
	l := &p.lists
	var parts []string
	for _, m := range p.b.Methods.All {
		if s := m.Signature; s != 0 && l.beginSignature(s, p.b.Symbols.Len()) {
			var ok bool
			parts, ok = disk.SplitSignature(parts[:0], p.b.Text(s))
			if ok {
				p.makeList(s, parts)
			}
		}
	}
}

func (l *lists) beginSignature(s intern.SymbolRef, symbols int) bool {
	if l.of == nil {
		l.of = make([]listed, symbols)
		l.seen = make([]bool, symbols)
	}
	if l.seen[s-1] {
		return false
	}
	l.seen[s-1] = true
	l.signatures = append(l.signatures, s)
	return true
}

func (p *plan) makeList(s intern.SymbolRef, parts []string) {
	if disk.ListSize(len(parts)) >= disk.SymbolSize(len(p.b.Text(s))) {
		return
	}
	l := &p.lists
	first := len(l.parts)
	for _, text := range parts {
		part := p.b.Symbols.Find(text)
		if part == 0 {
			l.parts = l.parts[:first]
			return
		}
		l.parts = append(l.parts, part)
	}
	l.of[s-1] = listed{uint32(first), uint32(len(parts))}
}

// planSignatures keeps a list only if the symbol section holds all its parts anyway, as it holds the names of types. A
// signature that is itself needed as text stays text. All signatures are added to needed.
func (p *plan) planSignatures(needed []bool) {
	l := &p.lists
	for _, s := range l.signatures {
		if needed[s-1] || slices.ContainsFunc(l.listOf(s), func(part intern.SymbolRef) bool { return !needed[part-1] }) {
			l.of[s-1] = listed{}
		}
	}
	for _, s := range l.signatures {
		needed[s-1] = true
	}
	l.signatures, l.seen = nil, nil
}

func (p *plan) symbolSize(s intern.SymbolRef) int64 {
	if parts := p.lists.listOf(s); len(parts) > 0 {
		return disk.ListSize(len(parts))
	}
	return disk.SymbolSize(len(p.b.Text(s)))
}

func (p *plan) appendSymbol(b []byte, s intern.SymbolRef) []byte {
	parts := p.lists.listOf(s)
	if len(parts) == 0 {
		return disk.AppendSymbol(b, p.b.Text(s))
	}
	l := &p.lists
	l.places = l.places[:0]
	for _, part := range parts {
		l.places = append(l.places, p.symbolAt(part))
	}
	return disk.AppendList(b, l.places)
}
