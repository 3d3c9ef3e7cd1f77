package builder

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// ErrDuplicate: the builder has a profile of that method, code and context.
var ErrDuplicate = errors.New("profile was given before")

// A Profile is being built. Entries of one section may be added in any order;
// data entries are stored by profile point, then tag, then sub, and otherwise
// in the order in which they were added.
type Profile struct {
	b     *Builder
	ref   ProfileRef
	run   runData
	era   int // of the builder when it was begun
	err   error
	done  bool
	parts *profileParts // nil after Done
}

type profileKey struct {
	method  MethodRef
	context ContextRef
	code    uint64
}

// profileData is a finished profile: the block as it will lie in the file, but
// for its links and for pointer cells, which hold references.
type profileData struct {
	profileKey
	time  int64  // of the newest of its dumps
	run   uint32 // that gave it last
	block place  // nowhere until Done
}

// Profile begins the profile of a method, for the code with that id (0 if it
// is not known), in that context. One that the run has given already makes
// Done fail with ErrDuplicate; one of another run is merged with this one.
func (b *Builder) Profile(m MethodRef, code uint64, c ContextRef) *Profile {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shaped = shapeUse{true, true} // its entries are of the shape that the builder has now
	return b.profile(b.run, m, code, c)
}

// profile begins a profile of a run. The caller holds mu.
func (b *Builder) profile(run runData, m MethodRef, code uint64, c ContextRef) *Profile {
	p := &Profile{b: b, run: run, era: b.era, parts: spareParts.Get().(*profileParts)}
	switch {
	case !b.methods.has(uint32(m)):
		p.fail(fmt.Errorf("method %d is not of this builder", m))
	case c != NoContext && (!b.contexts.has(uint32(c)) || b.contexts.at(uint32(c)).method != m):
		p.fail(fmt.Errorf("context %d is not one of method %d", c, m))
	default:
		p.begin(profileKey{m, c, code})
	}
	return p
}

func (p *Profile) begin(key profileKey) {
	ref, ok := p.b.claim(key, &p.run)
	if p.ref = ref; !ok {
		p.fail(fmt.Errorf("%w: %s, code %016x, context %d", ErrDuplicate, p.b.text(p.b.methods.at(uint32(key.method)).name), key.code, key.context))
		return
	}
	if key.code != 0 {
		p.parts.put64(disk.HasCode, key.code)
	}
}

// Ref names the profile, for tables.
func (p *Profile) Ref() ProfileRef { return p.ref }

func (p *Profile) fail(err error) {
	if p.err == nil {
		p.err = fmt.Errorf("profile: %w", err)
	}
}

// tooLate reports that Done was called before: that is an error of the builder,
// since what is given now would be lost.
func (p *Profile) tooLate() bool {
	if !p.done {
		return false
	}
	p.fail(errors.New("something was added after Done"))
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	p.b.fail(p.err)
	return true
}

// Done hands the profile over to the builder. It must be called once.
func (p *Profile) Done() error {
	if p.done {
		p.b.mu.Lock()
		defer p.b.mu.Unlock()
		p.fail(errors.New("Done was called before"))
		p.b.fail(p.err)
		return p.err
	}
	p.done = true
	if p.err == nil {
		p.parts.encode()
	}
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	if p.era != p.b.era { // what it would be put into may be gone
		p.fail(errors.New("a batch began or ended between its beginning and Done"))
	} else if p.err == nil {
		p.b.take(p.ref, p.run.Run, p.parts.block, (*merger).addInPlace)
	} else {
		p.b.fail(p.err)
	}
	p.parts.reset()
	spareParts.Put(p.parts)
	p.parts = nil
	return p.err
}

// mayBeAnother reports whether the key of a method need not mean the same method
// in another run.
func (b *Builder) mayBeAnother(ref MethodRef) bool {
	m := b.methods.at(uint32(ref))
	return m.flags&layout.MethodNotMatchable != 0 ||
		m.holder != 0 && disk.NumberedLoader(b.text(b.types.at(uint32(m.holder)).loader))
}

// take keeps the encoded profile of a run, or merges it with the one of the runs
// before: in place if inPlace can. The caller holds mu.
func (b *Builder) take(ref ProfileRef, run Run, block disk.Block, inPlace func(m *merger, have, more disk.Block) bool) {
	d := b.profiles.at(uint32(ref))
	have := disk.Block(b.blocks.at(d.block))
	m := &b.merger
	*m = merger{b: b, shape: b.shape, run: run}
	if have != nil && b.mayBeAnother(d.method) {
		b.unmatchable++
	}
	if have == nil {
		m.scale(block)
		d.block = b.blocks.keep(block)
		return
	}
	b.changesBlock(ref)
	if !inPlace(m, have, block) {
		b.replace(d, m.merge(have, block))
	}
}

// replace keeps other bytes for a profile.
func (b *Builder) replace(d *profileData, block []byte) {
	b.blocks.free(d.block)
	d.block = b.blocks.keep(block)
	b.compactBlocks()
}

// compactBlocks copies the blocks to new memory if most of the old is not in
// use. An open batch may need the old again.
func (b *Builder) compactBlocks() {
	if b.batch != nil || !b.blocks.wasteful() {
		return
	}
	var anew arena
	for _, p := range b.profiles.all {
		if p.block.slab != 0 {
			p.block = anew.keep(b.blocks.at(p.block))
		}
	}
	b.blocks = anew
}
