package builder

import (
	"cmp"
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
	o.text = ranks(b.symbols.sorted())
	o.sortTypes(b)
	o.sortMethods(b)
	o.sortContexts(b)
	o.sortProfiles(b)
	return o
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

// sortMethods sorts by two numbers: class and name, then signature and loader.
func (o *order) sortMethods(b *Builder) {
	low := func(rank int64) uint64 { return uint64(rank + 1) }
	type class struct{ name, loader uint64 }
	holder := func(t TypeRef) (c class) {
		if t != 0 {
			h := b.types.at(uint32(t))
			c = class{low(o.textRank(h.name)), low(o.textRank(h.loader))}
		}
		return c
	}
	keys := make([]sortKey, 0, b.methods.len())
	for ref, m := range b.methods.all {
		keys = append(keys, sortKey{holder(m.holder).name<<32 | low(o.textRank(m.name)), ref})
	}
	sortKeys(keys)
	eachEqual(keys, func(group []sortKey) {
		for i, k := range group {
			m := b.methods.at(k.ref)
			group[i].key = low(o.textRank(m.signature))<<32 | holder(m.holder).loader
		}
		sortKeys(group)
	})
	o.methods = refsOf[MethodRef](keys)
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
	keys := make([]sortKey, 0, b.profiles.len())
	for ref, d := range b.profiles.all {
		keys = append(keys, sortKey{uint64(o.methodRank[d.method-1])<<32 | uint64(o.rankOf(d.context)+1), ref})
	}
	sortKeys(keys)
	eachEqual(keys, func(group []sortKey) {
		for i, k := range group {
			group[i].key = b.profiles.at(k.ref).code
		}
		sortKeys(group)
	})
	o.profiles = refsOf[ProfileRef](keys)
}
