package builder

import (
	"cmp"
	"context"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/archivewriter"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Config describes the archive and the recorded run. The zero value is valid, except that layout.DomainCustom needs
// ProducerID and HotSpot's entries with rows need Params.
type Config struct {
	Params      layout.Params // settings of the VM, from HotSpotParams or a header; zero outside HotSpot and LLVM
	Producer    string        // name and version of the VM for people, at most 64 bytes; "" if not known
	ProducerID  [16]byte      // identifies what points, keys and shapes mean; zero except in layout.DomainCustom
	Fingerprint [16]byte      // checksum of the program; if zero, derived from Run or not known
	DumpID      [16]byte      // identity of the dump; if zero, from Run, or else derived from the content
	DumpTime    time.Time     // zero if not known
	Flags       uint64        // 1 for a dump of increments; 0 for totals
	// ReceiverRows is the minimum number of rows, at most 64, of each type profile that Profile.Receivers records or that
	// a merge copies. Missing rows are added empty, so that a VM can record more types in them. 0 adds none. HotSpot's own
	// entries always have Params.TypeProfileWidth rows.
	ReceiverRows int
	// Run describes the run; nil if nothing is known of it. If Run.Process is zero, the run is one of this process,
	// which ends now unless DumpTime is set. A merge takes the last of several dumps of one process. A process that
	// runs several VMs, or records another process of unknown identity, sets Process.PID alone.
	//
	// A dump with a Run and without DumpID gets an ID from process and time, or else a random one. Without a Run, two
	// runs with equal counts have equal IDs, and a merge refuses the second.
	Run     *layout.Provenance
	Workers int // goroutines of Commit; GOMAXPROCS if 0
	// MemoryBudget is the number of bytes of profiles that are kept in memory; 0 is 192 MiB, below 0 is no bound.
	// Further profiles go to an unnamed file in SpillFolder, or in os.TempDir() if that is "". The file may become as
	// large as the archive, and twice as large in a merge. Builder.Err returns its errors.
	MemoryBudget int64
	SpillFolder  string
	// Progress, if not nil, is called by Commit with the bytes written and their total. It must not call the builder.
	Progress func(done, total int64)
}

// ConfigOf returns a Config that repeats the header of an archive, for a builder of a copy.
func ConfigOf(h *layout.Header) Config {
	return Config{Params: h.Params, Producer: h.Producer, ProducerID: h.ProducerID, Fingerprint: h.Fingerprint,
		DumpID: h.DumpID, DumpTime: h.Time(), Flags: h.Flags}
}

// References to interned types, methods and contexts. They are valid for their builder only. The zero TypeRef or
// MethodRef refers to nothing, and the zero ContextRef means every caller.
type (
	TypeRef    = profileset.TypeRef
	MethodRef  = profileset.MethodRef
	ContextRef = profileset.ContextRef
)

// Errors, to match with errors.Is.
var (
	// ErrDuplicate means that the run has already recorded a profile of that method, code id and context.
	ErrDuplicate = profileset.ErrDuplicate
	// ErrMismatch means that archives, or the parts of one, differ in domain, producer, shape or base.
	ErrMismatch = profileset.ErrMismatch
)

// A Builder records profiles. New creates it; the zero value is not usable.
type Builder struct{ set *profileset.Set }

// Internal returns the contents of the builder, for packages of this module. No other module can name their type.
func (b *Builder) Internal() *profileset.Set { return b.set }

// New returns an empty builder. If the domain or the config is invalid, Err returns the error from the start, and
// every Done and Commit fails with it.
//
// A builder of layout.DomainCustom without a Config.ProducerID is for a merge, and gets the id of the first archive.
// Until then Method, Profile and DeclareShape fail.
func New(domain layout.Domain, config Config) *Builder {
	c := &config
	set := profileset.New(domain, profileset.Heading{Params: c.Params, Producer: c.Producer, ProducerID: c.ProducerID,
		Fingerprint: c.Fingerprint, DumpID: c.DumpID, DumpTime: c.DumpTime, Flags: c.Flags},
		spill.Config{Budget: cmp.Or(c.MemoryBudget, spill.DefaultBudget), Folder: c.SpillFolder})
	set.Workers = c.Workers
	set.Progress = c.Progress
	set.GiveRoom(c.ReceiverRows)
	if c.Run != nil {
		set.DescribeRun(*c.Run)
	}
	return &Builder{set}
}

// Err returns the first error of any call on the builder.
func (b *Builder) Err() error { return b.set.Err() }

// A TypeKey names a type.
type TypeKey struct {
	Name   string // in the domain's spelling; in HotSpot's "java/lang/String" or "[Ljava/lang/String;"
	Loader string // identity of the class loader; "" for the boot loader, or if not known
}

// Type interns a type.
func (b *Builder) Type(k TypeKey) TypeRef { return b.set.Type(k.Name, k.Loader) }

// Method interns a method. Its class, if any, is interned as a type with the key's loader.
func (b *Builder) Method(k layout.Key) MethodRef { return b.set.Method(k) }

// Seen records that methods were loaded or instrumented. Those without any profile, context, sampled stack or caller
// are recorded as unexecuted.
func (b *Builder) Seen(methods ...MethodRef) { b.set.Seen(methods...) }

// A Frame is a call site, given by the caller and a point in its code.
type Frame struct {
	Caller MethodRef
	Point  int32
}

// Context interns the calling context of a method, the direct caller first. Without frames it returns 0.
func (b *Builder) Context(m MethodRef, frames ...Frame) ContextRef {
	if !b.set.CheckDepth(m, len(frames)) {
		return 0
	}
	node := profileset.NoContext
	for _, f := range frames {
		node = b.set.OuterContext(m, node, f.Caller, f.Point)
		if node == profileset.NoContext {
			break
		}
	}
	return node
}

// DeclareShape declares the cells of the producer's entries with one tag, for Profile.Custom in layout.DomainCustom.
// Declaring a shape again does nothing. The error matches ErrMismatch if the tag has another shape. A merge takes
// over the shapes of all archives.
func (b *Builder) DeclareShape(s layout.EntryShape) error { return b.set.Declare(s) }

// Commit writes the archive to path, creating or replacing the file atomically. It renames a temporary file after
// syncing it. After an error the old file is unchanged. A killed process leaves a .profarc-*.tmp file, which the next
// Commit into the directory removes. A replaced file keeps its permissions. In a directory where all users may write, a
// link of another user is refused with fs.ErrPermission. More can be added to the builder and committed later.
func (b *Builder) Commit(ctx context.Context, path string) (Report, error) {
	r, err := archivewriter.Publish(ctx, b.set, path)
	return Report(r), err
}

// Bytes lays out the archive in memory.
func (b *Builder) Bytes() ([]byte, Report, error) {
	data, r, err := archivewriter.Bytes(b.set)
	return data, Report(r), err
}

// Open lays out the archive in memory and opens it. Errors of the store begin with name instead of a path.
func (b *Builder) Open(name string) (*reader.Store, error) {
	data, _, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	m, err := archive.FromBytes(name, data, archive.Options{Unchecked: true})
	if err != nil {
		return nil, err
	}
	return reader.New(m), nil
}

// Report describes an archive that Commit or Bytes laid out.
type Report struct {
	Counts layout.Counts
	Bytes  int64  // size of the file
	Base   uint64 // requested base address
	DumpID [16]byte
	// Duplicates is the number of profiles refused with ErrDuplicate.
	Duplicates int
	// Unaccounted has the counts by which the archive differs from its recorded inputs without a recorded reason. It is
	// nil unless the program that filled the builder has a defect.
	Unaccounted []ledger.Difference
}

// HotSpotParams returns the settings of an OpenJDK 17, 21 or 25 with default flags, for Config.Params. Type profiles
// and Ret entries have two rows. Before release 25, type profiles also count receivers that were not profiled. For a VM
// with -XX:TypeProfileWidth or -XX:BciProfileWidth, change the fields of these names.
func HotSpotParams(release int) layout.Params {
	p := layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, TypeProfileLevel: 111, ProfileTraps: 1,
		VMRelease: uint32(release)}
	if release < 25 {
		p.ReceiverGap = 1 // nonprofiled_count
	}
	return p
}

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

// History sets how often the method's compiled code was discarded, or recompiled or trapped without an entry that shows
// it. The names are HotSpot's. A merge adds the numbers up.
func (p *Profile) History(decompiles, overflowRecompiles, overflowTraps, tenureTraps uint32) {
	p.recording.Put32(disk.HasHistory, decompiles, overflowRecompiles, overflowTraps, tenureTraps)
}

// Compile sets the highest tier at which the method was compiled, and its numbers of loops and basic blocks. A merge
// keeps the highest of each.
func (p *Profile) Compile(level uint8, loops, blocks uint16) {
	p.recording.SetCompilation(profileset.Compilation{Level: level, Loops: loops, Blocks: blocks})
}

// Interpreted sets the number of invocations by the interpreter.
func (p *Profile) Interpreted(n uint64) { p.recording.Put64(disk.HasInterpreted, n) }
