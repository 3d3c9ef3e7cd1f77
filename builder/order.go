package builder

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// order is the canonical order of everything a builder holds. It depends on
// what was interned, not on when.
type order struct {
	text     []uint32     // rank of each symbol among all symbols, by SymbolRef-1
	types    []TypeRef    // by name, loader
	methods  []MethodRef  // by class, name, signature, loader
	contexts []ContextRef // by method, depth, parent, caller, point
	profiles []ProfileRef // by method, context, code

	typeRank, methodRank, contextRank []uint32 // place of each reference, by ref-1
}

func (b *Builder) order() *order {
	o := &order{}
	o.text = ranks(sortSymbols(b.symbols.values))
	o.sortTypes(b)
	o.sortMethods(b)
	o.sortContexts(b)
	o.sortProfiles(b)
	return o
}

// sortSymbols gives the numbers of the texts (from 1), sorted by bytes. The
// first eight bytes of each decide most comparisons without following it.
func sortSymbols(texts []string) []SymbolRef {
	type keyed struct {
		prefix uint64
		ref    SymbolRef
	}
	keys := make([]keyed, len(texts))
	for i, t := range texts {
		var p [8]byte
		copy(p[:], t)
		keys[i] = keyed{binary.BigEndian.Uint64(p[:]), SymbolRef(i + 1)}
	}
	slices.SortFunc(keys, func(x, y keyed) int {
		if c := cmp.Compare(x.prefix, y.prefix); c != 0 {
			return c
		}
		return cmp.Compare(texts[x.ref-1], texts[y.ref-1])
	})
	refs := make([]SymbolRef, len(keys))
	for i, k := range keys {
		refs[i] = k.ref
	}
	return refs
}

// ranks inverts an order of references.
func ranks[R ~uint32](sorted []R) []uint32 {
	r := make([]uint32, len(sorted))
	for i, ref := range sorted {
		r[ref-1] = uint32(i)
	}
	return r
}

// sorted gives all references 1 to n in an order.
func sorted[R ~uint32](n int, compare func(a, b R) int) []R {
	refs := make([]R, n)
	for i := range refs {
		refs[i] = R(i + 1)
	}
	slices.SortFunc(refs, compare)
	return refs
}

// textRank is the rank of a symbol, below all others for none.
func (o *order) textRank(s SymbolRef) int64 {
	if s == 0 {
		return -1
	}
	return int64(o.text[s-1])
}

func (o *order) sortTypes(b *Builder) {
	o.types = sorted(b.types.len(), func(x, y TypeRef) int {
		s, t := b.types.at(uint32(x)), b.types.at(uint32(y))
		return cmp.Or(cmp.Compare(o.textRank(s.name), o.textRank(t.name)), cmp.Compare(o.textRank(s.loader), o.textRank(t.loader)))
	})
	o.typeRank = ranks(o.types)
}

func (o *order) sortMethods(b *Builder) {
	class := func(m *methodData) (name, loader int64) {
		if m.holder == 0 {
			return -1, -1
		}
		h := b.types.at(uint32(m.holder))
		return o.textRank(h.name), o.textRank(h.loader)
	}
	o.methods = sorted(b.methods.len(), func(x, y MethodRef) int {
		s, t := b.methods.at(uint32(x)), b.methods.at(uint32(y))
		sClass, sLoader := class(s)
		tClass, tLoader := class(t)
		return cmp.Or(cmp.Compare(sClass, tClass), cmp.Compare(o.textRank(s.name), o.textRank(t.name)),
			cmp.Compare(o.textRank(s.signature), o.textRank(t.signature)), cmp.Compare(sLoader, tLoader))
	})
	o.methodRank = ranks(o.methods)
}

// sortContexts ranks the nodes level by level, since the order among siblings
// of different parents is that of the parents.
func (o *order) sortContexts(b *Builder) {
	n := b.contexts.len()
	o.contextRank = make([]uint32, n)
	inLevel := func(x, y ContextRef) int {
		s, t := b.contexts.at(uint32(x)), b.contexts.at(uint32(y))
		return cmp.Or(cmp.Compare(s.depth, t.depth), cmp.Compare(o.methodRank[s.method-1], o.methodRank[t.method-1]),
			cmp.Compare(o.rankOf(s.parent), o.rankOf(t.parent)), cmp.Compare(o.methodRank[s.Caller-1], o.methodRank[t.Caller-1]),
			cmp.Compare(s.Point, t.Point))
	}
	byDepth := sorted(n, func(x, y ContextRef) int {
		return cmp.Compare(b.contexts.at(uint32(x)).depth, b.contexts.at(uint32(y)).depth)
	})
	for from := 0; from < n; {
		to := from
		for to < n && b.contexts.at(uint32(byDepth[to])).depth == b.contexts.at(uint32(byDepth[from])).depth {
			to++
		}
		slices.SortFunc(byDepth[from:to], inLevel)
		for i := from; i < to; i++ {
			o.contextRank[byDepth[i]-1] = uint32(i)
		}
		from = to
	}
	o.contexts = slices.Clone(byDepth)
	slices.SortStableFunc(o.contexts, func(x, y ContextRef) int {
		s, t := b.contexts.at(uint32(x)), b.contexts.at(uint32(y))
		return cmp.Compare(o.methodRank[s.method-1], o.methodRank[t.method-1])
	})
	o.contextRank = ranks(o.contexts)
}

func (o *order) rankOf(c ContextRef) int64 {
	if c == NoContext {
		return -1
	}
	return int64(o.contextRank[c-1])
}

func (o *order) sortProfiles(b *Builder) {
	o.profiles = sorted(len(b.profiles), func(x, y ProfileRef) int {
		s, t := &b.profiles[x-1], &b.profiles[y-1]
		return cmp.Or(cmp.Compare(o.methodRank[s.method-1], o.methodRank[t.method-1]),
			cmp.Compare(o.rankOf(s.context), o.rankOf(t.context)), cmp.Compare(s.code, t.code))
	})
}
