package archivewriter

import (
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/layout"
)

// lists are the parts of the signatures that are written as lists of symbols.
type lists struct {
	of    []listed // by SymbolRef-1; nil if there is none
	parts []intern.SymbolRef

	places     []layout.Ref       // of the last list that was written
	signatures []intern.SymbolRef // all, until it is decided which are lists
	seen       []bool             // by SymbolRef-1: it is one of these
}

// A listed symbol has some of the parts; one that is text has none.
type listed struct{ first, number uint32 }

func (l *lists) listOf(s intern.SymbolRef) []intern.SymbolRef {
	if l.of == nil || s == 0 {
		return nil
	}
	p := l.of[s-1]
	return l.parts[p.first : p.first+p.number]
}

// splitSignatures finds the parts of all signatures that would be shorter as lists of them.
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

// beginSignature notes a signature, and reports whether it is new. symbols is how many there are.
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

// makeList makes a signature a list, if all its parts are symbols.
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

// planSignatures decides how signatures are written: as lists where all parts are in the symbol section
// anyway, as names of types are, and this is shorter. It notes the signatures as needed.
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
