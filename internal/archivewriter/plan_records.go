package archivewriter

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/intern"
	"github.com/profarc/profarc/internal/profileset"
	"github.com/profarc/profarc/layout"
)

// A methodPlan is what a method's record will be. Records are planned in the
// order in which they will lie, so that all that is done with them afterwards
// goes through memory from front to back.
type methodPlan struct {
	id    uint64
	name  intern.Place // text of the method's name
	first uint32       // 1 + place in the order of its first profile without a context
	flags layout.MethodFlags
	units uint16 // size of the record with its tail; 0 if the method has a row instead
}

// A contextRange is a method's contexts: the first, in order.contexts, and how
// many.
type contextRange struct{ first, number uint32 }

// A profilePlan is what a profile's block will be.
type profilePlan struct {
	method   uint32 // place in the order
	context  profileset.ContextRef
	block    intern.Place
	at       layout.Ref
	followed bool // by one of the same method and context
	pointers bool
}

// planRecords decides what the methods' records hold, and their sizes.
func (p *plan) planRecords() {
	p.beside(p.gatherMethods, func() {
		p.gatherProfiles()
		p.rangeContexts()
		p.meetCallers()
	})
	p.chain()
	for i := range p.records {
		p.planRecord(i)
	}
}

// gatherProfiles puts what is known of the profiles into their order. It goes
// through them in the order of their arrival: of millions hardly any is in a
// cache, and to store in another order takes less time than to load in it.
func (p *plan) gatherProfiles() {
	p.profiles = make([]profilePlan, len(p.o.profiles))
	rank := ranks(p.o.profiles)
	for ref, d := range p.b.Profiles.All {
		p.profiles[rank[ref-1]] = profilePlan{method: p.o.methodRank[d.Method-1], context: d.Context, block: d.Block, pointers: p.hasPointers[ref-1]}
	}
}

// gatherMethods does so with the methods. Of the flags of their records those are
// set that they have by themselves; MethodProfiled is for their access flags, and
// MethodNeverRan for those that were seen.
func (p *plan) gatherMethods() {
	p.records = make([]methodPlan, len(p.o.methods))
	for ref, m := range p.b.Methods.All {
		r := methodPlan{id: m.ID, name: p.b.Symbols.Place(m.Name), flags: m.Flags}
		if m.Holder != 0 || m.Signature != 0 {
			r.flags |= disk.MethodDeclared
		}
		if m.Access != 0 {
			r.flags |= disk.MethodProfiled
		}
		if m.Seen {
			r.flags |= layout.MethodUnexecuted
		}
		p.records[p.o.methodRank[ref-1]] = r
	}
}

// chain links the profiles of one method and context, by code id.
func (p *plan) chain() {
	p.contextFirst = make([]uint32, p.b.Contexts.Len())
	for i := range p.profiles {
		d := &p.profiles[i]
		switch {
		case i > 0 && p.profiles[i-1].method == d.method && p.profiles[i-1].context == d.context:
			p.profiles[i-1].followed = true
		case d.context == profileset.NoContext:
			p.records[d.method].first = uint32(i + 1)
		default:
			p.contextFirst[d.context-1] = uint32(i + 1)
		}
	}
}

// rangeContexts notes which contexts each method has.
func (p *plan) rangeContexts() {
	if len(p.o.contexts) == 0 {
		return
	}
	p.contexts = make([]contextRange, len(p.o.methods))
	for i, ref := range p.o.contexts {
		r := &p.contexts[p.o.methodRank[p.b.Contexts.At(uint32(ref)).Method-1]]
		if r.number == 0 {
			r.first = uint32(i)
		}
		r.number++
	}
}

// contextsOf gives the contexts of a method by its place in the order.
func (p *plan) contextsOf(method int) []profileset.ContextRef {
	if p.contexts == nil {
		return nil
	}
	r := p.contexts[method]
	return p.o.contexts[r.first : r.first+r.number]
}

// planRecord completes the flags of a record that gatherMethods has begun, and
// decides where the method's name lies: in the record, where no other method can
// have it, since it is all of the key; that is one memory access less for a
// look-up by name.
func (p *plan) planRecord(i int) {
	r := &p.records[i]
	if len(p.contextsOf(i)) > 0 {
		r.flags |= disk.MethodInContext
	}
	if r.flags&layout.MethodUnexecuted != 0 {
		if p.ran(i) {
			r.flags &^= layout.MethodUnexecuted
		} else {
			p.neverRan++
		}
	}
	if r.flags&(disk.MethodDeclared|disk.MethodInContext|disk.MethodProfiled) == 0 && r.name.Size <= disk.MaxNamed {
		r.flags |= disk.MethodNamed
		r.units = disk.NamedUnits(int(r.name.Size))
		return
	}
	if r.first != 0 {
		r.flags |= disk.MethodProfiled
	}
	r.units = uint16((&disk.MethodRecord{Flags: r.flags}).Size() / disk.Unit)
}

// markSharedIDs marks methods whose id another method has too. For one kind of
// record, hashes are alike where ids are.
func (p *plan) markSharedIDs() {
	intern.EachEqual(p.hashed, func(group []intern.SortKey) {
		var methods []*methodPlan
		for _, k := range group {
			if i := int(k.Ref) - len(p.o.types); i >= 0 && i < len(p.records) {
				methods = append(methods, &p.records[i])
			}
		}
		if len(methods) > 1 {
			for _, r := range methods {
				r.flags |= layout.MethodSharedID
			}
		}
	})
}
