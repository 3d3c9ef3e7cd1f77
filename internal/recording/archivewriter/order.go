package archivewriter

import (
	"cmp"
	"context"
	"slices"

	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
)

// order is the canonical order of all records of a set. It does not depend on the order of interning. If ctx is
// canceled, sorting stops and the order is incomplete.
type order struct {
	sorter   intern.Sorter
	symbols  []intern.SymbolRef      // sorted by bytes
	text     []uint32                // rank of each symbol, by SymbolRef-1
	types    []profileset.TypeRef    // sorted by name, loader
	methods  []profileset.MethodRef  // sorted by class, name, signature, loader
	contexts []profileset.ContextRef // sorted by method, depth, parent, caller, point
	profiles []profileset.ProfileRef // sorted by method, context, code

	typeRank, methodRank []uint32 // rank of each reference, by ref-1
	contextRank          profileset.ContextRanks
}

func newOrder(ctx context.Context, b *profileset.Set) *order {
	o := &order{sorter: intern.Sorter{Ctx: ctx}}
	o.symbols = b.Symbols.Sorted(&o.sorter)
	o.text = ranks(o.symbols)
	o.sortTypes(b)
	o.sortMethods(b)
	o.sortContexts(b)
	o.sortProfiles(b)
	return o
}

func ranks[R ~uint32](sorted []R) []uint32 {
	r := fastmem.AllocateLarge[uint32](len(sorted))
	for i, ref := range sorted {
		r[ref-1] = uint32(i)
	}
	return r
}

func sorted[R ~uint32](n int, compare func(a, b R) int) []R {
	refs := make([]R, n)
	for i := range refs {
		refs[i] = R(i + 1)
	}
	slices.SortFunc(refs, compare)
	return refs
}

func (o *order) textRank(s intern.SymbolRef) int64 {
	if s == 0 {
		return -1
	}
	return int64(o.text[s-1])
}

func (o *order) sortTypes(b *profileset.Set) {
	o.types = sorted(b.Types.Len(), func(x, y profileset.TypeRef) int {
		s := b.Types.At(uint32(x))
		t := b.Types.At(uint32(y))
		return cmp.Or(cmp.Compare(o.textRank(s.Name), o.textRank(t.Name)),
			cmp.Compare(o.textRank(s.Loader), o.textRank(t.Loader)))
	})
	o.typeRank = ranks(o.types)
}

func (o *order) sortMethods(b *profileset.Set) {
	if b.Methods.Others.Len() == 0 {
		o.methods = b.Methods.InOrder(o.symbols)
	} else {
		o.sortDeclared(b)
	}
	o.methodRank = ranks(o.methods)
}

// sortDeclared sorts by class and name, and then groups of equal ones by signature and loader. Each pair is one key of
// 64 bits.
func (o *order) sortDeclared(b *profileset.Set) {
	low := func(rank int64) uint64 { return uint64(rank + 1) }
	type class struct{ name, loader uint64 }
	holder := func(t profileset.TypeRef) (c class) {
		if t != 0 {
			h := b.Types.At(uint32(t))
			c = class{low(o.textRank(h.Name)), low(o.textRank(h.Loader))}
		}
		return c
	}
	keys := o.sorter.Room(b.Methods.Len())
	for ref, m := range b.Methods.All {
		keys = append(keys, intern.SortKey{Key: holder(m.Holder).name<<32 | low(o.textRank(m.Name)), Ref: ref})
	}
	o.sorter.SortByTwo(keys, func(ref uint32) uint64 {
		m := b.Methods.At(ref)
		return low(o.textRank(m.Signature))<<32 | holder(m.Holder).loader
	})
	o.methods = intern.RefsOf[profileset.MethodRef](keys)
}

func (o *order) sortContexts(b *profileset.Set) {
	if o.numberContexts(b) {
		return
	}
	var byDepth []intern.SortKey
	byDepth, o.contextRank = b.RankContexts(&o.sorter, o.methodRank)
	for i, k := range byDepth {
		byDepth[i].Key = uint64(o.methodRank[b.Contexts.At(k.Ref).Method-1])
	}
	o.sorter.Sort(byDepth)
	o.contexts = intern.RefsOf[profileset.ContextRef](byDepth)
	o.contextRank = ranks(o.contexts)
}

// numberContexts ranks the contexts by reference. It reports whether this is the canonical order, which it is in a copy
// of an archive.
func (o *order) numberContexts(b *profileset.Set) bool {
	o.contextRank = make([]uint32, b.Contexts.Len())
	var before [3]uint64
	for ref, c := range b.Contexts.All {
		key := [...]uint64{uint64(o.methodRank[c.Method-1])<<32 | uint64(c.Depth), uint64(c.Parent),
			profileset.CallSite(o.methodRank, c)}
		if ref > 1 && slices.Compare(before[:], key[:]) >= 0 {
			return false
		}
		before = key
		o.contextRank[ref-1] = ref - 1
	}
	o.contexts = make([]profileset.ContextRef, b.Contexts.Len())
	for i := range o.contexts {
		o.contexts[i] = profileset.ContextRef(i + 1)
	}
	return true
}

func (o *order) sortProfiles(b *profileset.Set) {
	if b.Contexts.Len() == 0 && len(b.Versions) == 0 {
		o.profiles = o.onlyProfiles(b)
		return
	}
	keys := o.sorter.Room(b.Profiles.Len())
	for ref, d := range b.Profiles.All {
		key := uint64(o.methodRank[d.Method-1])<<32 | uint64(o.contextRank.RankOf(d.Context))
		keys = append(keys, intern.SortKey{Key: key, Ref: ref})
	}
	o.sorter.SortByTwo(keys, func(ref uint32) uint64 { return b.Profiles.At(ref).Code })
	o.profiles = intern.RefsOf[profileset.ProfileRef](keys)
}

// onlyProfiles returns the sorted profiles of a set in which no method has more than one.
func (o *order) onlyProfiles(b *profileset.Set) []profileset.ProfileRef {
	ofMethod := fastmem.AllocateLarge[profileset.ProfileRef](len(o.methods))
	for ref, d := range b.Profiles.All {
		ofMethod[o.methodRank[d.Method-1]] = profileset.ProfileRef(ref)
	}
	return slices.DeleteFunc(ofMethod, func(p profileset.ProfileRef) bool { return p == 0 })
}
