package builder

import (
	"fmt"

	"github.com/profarc/profarc/internal/build/profileset"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
)

// A Profile is being built. Entries of one section may be added in any order; data entries are stored by
// profile point, then tag, then sub, and otherwise in the order in which they were added.
type Profile struct{ rec profileset.Recording }

// Profile begins the profile of a method, for the code with that id (any but
// layout.CodeAny; layout.CodeUnknown if it is not known). It holds for every caller. One that
// the run has given already is refused by Done, with ErrDuplicate, and the builder goes on
// without it; one of another run is merged with this one.
func (b *Builder) Profile(k layout.Key, code uint64) *Profile { return b.ProfileIn(k, code, NoContext) }

// ProfileIn is like Profile, for calls of the method in one calling context.
func (b *Builder) ProfileIn(k layout.Key, code uint64, c ContextRef) *Profile {
	return b.ProfileOf(b.Method(k), code, c)
}

// ProfileOf is like ProfileIn, for a method that the builder has interned.
func (b *Builder) ProfileOf(m MethodRef, code uint64, c ContextRef) *Profile {
	p := new(Profile)
	b.set().Record(&p.rec, m, code, c)
	return p
}

// Ref returns the reference of the profile, for tables. It stays valid until profiles are
// dropped: by the first Commit after a Discard, or by a step after a merge.
func (p *Profile) Ref() ProfileRef { return p.rec.Ref() }

// Done adds the profile to the builder. It must be called once, unless the profile is
// discarded: a profile without either makes Commit fail. The error is the first of any
// call on the profile, and is the builder's from then on unless it is ErrDuplicate.
func (p *Profile) Done() error { return p.rec.Done() }

// Discard drops a profile that was begun, with all that went wrong in it; it can then be
// begun again. After Done it does nothing, so that it can be deferred:
//
//	p := b.Profile(key, code)
//	defer p.Discard()
//	... return err where the VM's own data make no sense ...
//	return p.Done()
//
// A row of a table must not refer to a profile that was discarded and not begun again:
// that makes Commit fail.
func (p *Profile) Discard() { p.rec.Discard() }

// Invocations sets the invocation counter.
func (p *Profile) Invocations(n uint64) { p.rec.Put64(disk.HasInvocations, n) }

// Backedges sets the backedge counter.
func (p *Profile) Backedges(n uint64) { p.rec.Put64(disk.HasBackedges, n) }

// Interpreted sets the number of invocations by the interpreter.
func (p *Profile) Interpreted(n uint64) { p.rec.Put64(disk.HasInterpreted, n) }

// Size is the size in bytes of the method's code and of the VM's own MethodData, each 0 if not known.
type Size struct{ Code, Host uint32 }

// Size sets the size of the method's code and of the VM's own MethodData.
func (p *Profile) Size(s Size) { p.rec.Put32(disk.HasSize, s.Code, s.Host) }

// History is how often compiled code of the method was given up.
type History struct{ Decompiles, OverflowRecompiles, OverflowTraps, TenureTraps uint32 }

// History sets how often compiled code of the method was given up.
func (p *Profile) History(h History) {
	p.rec.Put32(disk.HasHistory, h.Decompiles, h.OverflowRecompiles, h.OverflowTraps, h.TenureTraps)
}

// Compile is what the VM's compilers noted of the method.
type Compile struct {
	Level, State, WouldProfile uint8
	Loops, Blocks              uint16
}

// Compile sets what the VM's compilers noted of the method.
func (p *Profile) Compile(c Compile) {
	p.rec.Put32(disk.HasCompile, uint32(c.Level)|uint32(c.State)<<8|uint32(c.WouldProfile)<<16,
		uint32(c.Loops)|uint32(c.Blocks)<<16)
}

// Escape is the result of escape analysis of the arguments, a bit an argument.
type Escape struct{ Flags, Local, Stack, Returned uint64 }

// Escape sets the result of escape analysis.
func (p *Profile) Escape(e Escape) {
	p.rec.Put64(disk.HasEscape, e.Flags, e.Local, e.Stack, e.Returned)
}

// TrapHistory sets the number of traps taken, by reason.
func (p *Profile) TrapHistory(byReason []byte) { p.rec.PutTraps(byReason) }

// Raw adds an entry cell for cell: empty rows keep their places, and flags and traps their bits. It is for
// packages of this module that copy entries. Wide entries belong into the data section. e must be exactly one
// entry of the builder's settings. Its pointer cells are replaced: refs returns for each the number of a
// reference of this builder (uint64 of a MethodRef for a CellMethod, of a TypeRef otherwise), 0 for none. The
// tags of type words are kept.
func (p *Profile) Raw(section layout.BlockSection, e disk.Entry, refs func(cell int, kind disk.CellKind) uint64) {
	one, rest, err := p.rec.Shape().Next(e)
	if err != nil || len(rest) > 0 || one.Tag().Wide() && section != layout.SectionData {
		p.rec.Fail(fmt.Errorf("%d bytes that are not one entry of the settings (%v)", len(e), err))
		return
	}
	if !p.holds(one.Tag(), one.Point()) {
		return
	}
	p.rec.Add(section, e.Cells(), func(b []byte) ([]byte, disk.Entry) {
		at := len(b)
		b = append(b, e...)
		return b, disk.Entry(b[at:])
	}, func(stored disk.Entry) { p.rawPointers(stored, refs) })
}

// rawPointers puts references in the place of pointers.
func (p *Profile) rawPointers(e disk.Entry, refs func(cell int, kind disk.CellKind) uint64) {
	for cell, kind := range p.rec.Shape().Pointers(e) {
		v := p.pointerCell(kind, refs(cell, kind))
		if kind == disk.CellTypeWord {
			v |= e.Cell(cell) & (disk.TypeNullSeen | disk.TypeUnknown)
		}
		e.SetCell(cell, v)
	}
}

// pointerCell returns the cell for a reference to a type or a method, as a number.
func (p *Profile) pointerCell(kind disk.CellKind, ref uint64) uint64 {
	switch {
	case ref > 1<<32-1:
		p.rec.Fail(fmt.Errorf("%d is not a reference", ref))
		return 0
	case kind == disk.CellMethod:
		return p.rec.MethodCell(MethodRef(ref))
	}
	return p.rec.TypeCell(TypeRef(ref))
}
