package builder

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// A Profile records the profile of one method, code ID and context. Builder.Profile creates it. The package comment
// lists the methods that each domain has. They can be called in any order. The archive sorts entries by point, tag and
// sub, and keeps the order of the calls for equal ones.
type Profile struct{ recording profileset.Recording }

// Internal returns the recording behind the profile, for packages of this module. No other module can name its type.
func (p *Profile) Internal() *profileset.Recording { return &p.recording }

// Profile begins the profile of a method that holds for every caller. code identifies the version of the method's
// code; layout.CodeUnknown if it is not known, and never layout.CodeAny. Done refuses a profile that the run has
// recorded before, with ErrDuplicate. Profiles of several runs are merged.
func (b *Builder) Profile(k layout.Key, code uint64) *Profile {
	return b.ProfileIn(b.Method(k), code, 0)
}

// ProfileIn is like Profile, for calls of an interned method in one calling context; 0 is every caller.
func (b *Builder) ProfileIn(m MethodRef, code uint64, c ContextRef) *Profile {
	p := new(Profile)
	b.set.Record(&p.recording, m, code, c)
	return p
}

// Done adds the profile to the builder. Each profile needs one call of Done or Discard, otherwise Commit fails. Done
// returns the first error of any call on the profile. Unless it is ErrDuplicate, it becomes the error of the builder.
func (p *Profile) Done() error { return p.recording.Done() }

// Discard drops the profile and its error. The same profile can then be begun again. After Done it does nothing, so
// that it can be deferred:
//
//	p := b.Profile(key, code)
//	defer p.Discard()
//	... return err where the VM's own data are inconsistent ...
//	return p.Done()
func (p *Profile) Discard() { p.recording.Discard() }

// Invocations sets the invocation counter.
func (p *Profile) Invocations(n uint64) { p.recording.Put64(disk.HasInvocations, n) }

// Backedges sets the backedge counter.
func (p *Profile) Backedges(n uint64) { p.recording.Put64(disk.HasBackedges, n) }

// Interpreted sets the number of invocations by the interpreter.
func (p *Profile) Interpreted(n uint64) { p.recording.Put64(disk.HasInterpreted, n) }
