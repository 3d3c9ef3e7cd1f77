package builder

import (
	"cmp"
	"context"
	"slices"
)

// order is the canonical order of everything a builder holds. It depends on
// what was interned, not on when. Once ctx has ended the rest is not in order.
type order struct {
	sorter   keySorter
	symbols  []SymbolRef  // by bytes
	text     []uint32     // rank of each symbol among all symbols, by SymbolRef-1
	types    []TypeRef    // by name, loader
	methods  []MethodRef  // by class, name, signature, loader
	contexts []ContextRef // by method, depth, parent, caller, point
	profiles []ProfileRef // by method, context, code

	typeRank, methodRank, contextRank []uint32 // place of each reference, by ref-1
}

func (b *Builder) order(ctx context.Context) *order {
	o := &order{sorter: keySorter{ctx: ctx}}
	o.symbols = b.symbols.sorted(&o.sorter)
	o.text = ranks(o.symbols)
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

func (o *order) sortMethods(b *Builder) {
	if b.methods.others.Len() == 0 {
		o.methods = b.methods.inOrder(o.symbols)
	} else {
		o.sortDeclared(b)
	}
	o.methodRank = ranks(o.methods)
}

// sortDeclared sorts by two numbers: class and name, then signature and loader.
func (o *order) sortDeclared(b *Builder) {
	low := func(rank int64) uint64 { return uint64(rank + 1) }
	type class struct{ name, loader uint64 }
	holder := func(t TypeRef) (c class) {
		if t != 0 {
			h := b.types.at(uint32(t))
			c = class{low(o.textRank(h.name)), low(o.textRank(h.loader))}
		}
		return c
	}
	keys := o.sorter.room(b.methods.len())
	for ref, m := range b.methods.all {
		keys = append(keys, sortKey{holder(m.holder).name<<32 | low(o.textRank(m.name)), ref})
	}
	o.sorter.sort(keys)
	eachEqual(keys, func(group []sortKey) {
		for i, k := range group {
			m := b.methods.at(k.ref)
			group[i].key = low(o.textRank(m.signature))<<32 | holder(m.holder).loader
		}
		o.sorter.sort(group)
	})
	o.methods = refsOf[MethodRef](keys)
}

// sortContexts ranks the nodes level by level, since the order among siblings
// of different parents is that of the parents.
func (o *order) sortContexts(b *Builder) {
	n := b.contexts.len()
	o.contextRank = make([]uint32, n)
	byDepth := o.sorter.room(n)
	for ref, c := range b.contexts.all {
		byDepth = append(byDepth, sortKey{uint64(c.depth), ref})
	}
	o.sorter.sort(byDepth)
	placed := uint32(0)
	eachGroup(byDepth, func(level []sortKey) {
		o.sortLevel(b, level)
		for _, k := range level {
			o.contextRank[k.ref-1] = placed
			placed++
		}
	})
	for i, k := range byDepth {
		byDepth[i].key = uint64(o.methodRank[b.contexts.at(k.ref).method-1])
	}
	o.sorter.sort(byDepth)
	o.contexts = refsOf[ContextRef](byDepth)
	o.contextRank = ranks(o.contexts)
}

// sortLevel sorts nodes of one depth, those of one less being ranked, by method
// and parent, then caller and point.
func (o *order) sortLevel(b *Builder, level []sortKey) {
	for i, k := range level {
		c := b.contexts.at(k.ref)
		level[i].key = uint64(o.methodRank[c.method-1])<<32 | uint64(o.rankOf(c.parent)+1)
	}
	o.sorter.sort(level)
	eachEqual(level, func(group []sortKey) {
		for i, k := range group {
			c := b.contexts.at(k.ref)
			group[i].key = uint64(o.methodRank[c.Caller-1])<<32 | uint64(uint32(c.Point)^1<<31)
		}
		o.sorter.sort(group)
	})
}

func (o *order) rankOf(c ContextRef) int64 {
	if c == NoContext {
		return -1
	}
	return int64(o.contextRank[c-1])
}

func (o *order) sortProfiles(b *Builder) {
	if b.contexts.len() == 0 && len(b.versions) == 0 {
		o.profiles = o.onlyProfiles(b)
		return
	}
	keys := o.sorter.room(b.profiles.len())
	for ref, d := range b.profiles.all {
		keys = append(keys, sortKey{uint64(o.methodRank[d.method-1])<<32 | uint64(o.rankOf(d.context)+1), ref})
	}
	o.sorter.sort(keys)
	eachEqual(keys, func(group []sortKey) {
		for i, k := range group {
			group[i].key = b.profiles.at(k.ref).code
		}
		o.sorter.sort(group)
	})
	o.profiles = refsOf[ProfileRef](keys)
}

// onlyProfiles gives the profiles in their order where no method has several.
func (o *order) onlyProfiles(b *Builder) []ProfileRef {
	ofMethod := make([]ProfileRef, len(o.methods))
	for ref, d := range b.profiles.all {
		ofMethod[o.methodRank[d.method-1]] = ProfileRef(ref)
	}
	return slices.DeleteFunc(ofMethod, func(p ProfileRef) bool { return p == 0 })
}
