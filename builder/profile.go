package builder

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// A Profile is being built. Entries of one section may be added in any order; data entries are stored by
// profile point, then tag, then sub, and otherwise in the order in which they were added.
type Profile struct{ recording profileset.Recording }

// Internal returns what records the profile, for the packages of this module. No other module can name its type.
func (p *Profile) Internal() *profileset.Recording { return &p.recording }

// Profile begins the profile of a method, for the code with that id (any but
// layout.CodeAny; layout.CodeUnknown if it is not known). It holds for every caller. One that
// the run has given already is refused by Done, with ErrDuplicate, and the builder goes on
// without it; one of another run is merged with this one.
func (b *Builder) Profile(k layout.Key, code uint64) *Profile {
	return b.ProfileIn(b.Method(k), code, NoContext)
}

// ProfileIn is like Profile, for calls in one calling context of a method that the builder has interned.
func (b *Builder) ProfileIn(m MethodRef, code uint64, c ContextRef) *Profile {
	p := new(Profile)
	b.set.Record(&p.recording, m, code, c)
	return p
}

// Ref returns the reference of the profile, for tables. It stays valid until profiles are
// dropped: by the first Commit after a Discard, or by a step after a merge.
func (p *Profile) Ref() ProfileRef { return p.recording.Ref() }

// Done adds the profile to the builder. It must be called once, unless the profile is
// discarded: a profile without either makes Commit fail. The error is the first of any
// call on the profile, and is the builder's from then on unless it is ErrDuplicate.
func (p *Profile) Done() error { return p.recording.Done() }

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
func (p *Profile) Discard() { p.recording.Discard() }

// Invocations sets the invocation counter.
func (p *Profile) Invocations(n uint64) { p.recording.Put64(disk.HasInvocations, n) }

// Backedges sets the backedge counter.
func (p *Profile) Backedges(n uint64) { p.recording.Put64(disk.HasBackedges, n) }

// Interpreted sets the number of invocations by the interpreter.
func (p *Profile) Interpreted(n uint64) { p.recording.Put64(disk.HasInterpreted, n) }
