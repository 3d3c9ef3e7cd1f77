package builder

import (
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// lists are the parts of the signatures that are written as lists of symbols.
type lists struct {
	of    []listed // by SymbolRef-1; nil if there is none
	parts []SymbolRef

	signatures []SymbolRef // all, until it is decided which are lists
	seen       []bool      // by SymbolRef-1: it is one of these
}

// A listed symbol has some of the parts; one that is text has none.
type listed struct{ first, number uint32 }

func (l *lists) at(s SymbolRef) []SymbolRef {
	if l.of == nil || s == 0 {
		return nil
	}
	p := l.of[s-1]
	return l.parts[p.first : p.first+p.number]
}

// splitSignatures finds the parts of all signatures that would be shorter as
// lists of them.
func (p *plan) splitSignatures() {
	l := &p.lists
	var parts []string
	for _, m := range p.b.methods.all {
		if s := m.signature; s != 0 && l.begin(s, p.b.symbols.len()) {
			var ok bool
			if parts, ok = disk.SplitSignature(parts[:0], p.b.text(s)); ok {
				p.list(s, parts)
			}
		}
	}
}

// begin notes a signature, and reports whether it is new. symbols is how many
// there are.
func (l *lists) begin(s SymbolRef, symbols int) bool {
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

// list makes a signature a list, if all its parts are symbols.
func (p *plan) list(s SymbolRef, parts []string) {
	if disk.ListSize(len(parts)) >= disk.SymbolSize(len(p.b.text(s))) {
		return
	}
	l := &p.lists
	first := len(l.parts)
	for _, text := range parts {
		part := p.b.symbols.find(text)
		if part == 0 {
			l.parts = l.parts[:first]
			return
		}
		l.parts = append(l.parts, part)
	}
	l.of[s-1] = listed{uint32(first), uint32(len(parts))}
}

// planSignatures decides how signatures are written: as lists where all parts
// are in the symbol section anyway, as names of types are, and this is shorter.
// It notes the signatures as needed.
func (p *plan) planSignatures(needed []bool) {
	l := &p.lists
	for _, s := range l.signatures {
		if needed[s-1] || slices.ContainsFunc(l.at(s), func(part SymbolRef) bool { return !needed[part-1] }) {
			l.of[s-1] = listed{}
		}
	}
	for _, s := range l.signatures {
		needed[s-1] = true
	}
	l.signatures, l.seen = nil, nil
}

func (p *plan) symbolSize(s SymbolRef) int64 {
	if parts := p.lists.at(s); len(parts) > 0 {
		return disk.ListSize(len(parts))
	}
	return disk.SymbolSize(len(p.b.text(s)))
}

func (p *plan) appendSymbol(b []byte, s SymbolRef) []byte {
	parts := p.lists.at(s)
	if len(parts) == 0 {
		return disk.AppendSymbol(b, p.b.text(s))
	}
	at := make([]layout.Ref, 0, 8)
	for _, part := range parts {
		at = append(at, p.symbolAt(part))
	}
	return disk.AppendList(b, at)
}
