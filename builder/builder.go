package builder

import (
	"context"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/internal/recording/archivewriter"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Config is what an archive says of itself. The zero value is valid.
type Config struct {
	Params      layout.Params // producer's settings
	Producer    string        // who made the profiles, at most 64 bytes, for instance "OpenJDK 17.0.15+6"
	ProducerID  [16]byte      // what profile points, keys and shapes mean; only layout.DomainCustom has and needs one
	Fingerprint [16]byte      // of the program; zero if not known
	DumpID      [16]byte      // identity of the dump; if zero, Run's or else derived from the content
	DumpTime    time.Time     // zero if not known
	Flags       uint64        // layout.FlagDelta
	// ReceiverRows is the room of a type profile that Profile.Receivers records or that is copied: one with
	// fewer rows gets empty ones, in which a VM records further types in place. 0 adds none, and 64 is the
	// most. It changes nothing in HotSpot's own entries, which have Params.TypeProfileWidth rows. Of two
	// entries that are merged the larger number of rows stays.
	ReceiverRows int
	// Run says which run the dump is of; nil if nothing is known of it. The run's DumpID and Time are the
	// archive's. A run without a Process is one of this process, and the archive is of now if it has no time: of
	// several dumps of one process a merge takes the last, or refuses them. For a run of another process whose
	// identity is not known, or of one of several VMs that this process has, set Process.PID alone. A dump
	// without an ID gets one from the run's process and the archive's time, or a random one if these are not
	// known, so that two runs that count just the same are two. An archive without a fingerprint gets the one
	// of the run's program.
	Run     *layout.Provenance
	Workers int // goroutines used by Commit; GOMAXPROCS if 0
	// MemoryBudget is how many bytes of profiles are kept in memory; 0 is 192 MiB, below 0
	// is no bound. Once there are more, they go to a file without a name in SpillFolder, or
	// in os.TempDir() if that is empty. The file may become as large as the archive, and
	// twice as large in a merge. An error of the file is the builder's: see Err.
	MemoryBudget int64
	SpillFolder  string
	// Progress, if not nil, is called by Commit with the number of bytes written so
	// far, and of all bytes. It must not call the builder.
	Progress func(done, total int64)
}

// ConfigOf returns what an archive says of itself, for a builder of a copy.
func ConfigOf(h *layout.Header) Config {
	return Config{Params: h.Params, Producer: h.Producer, ProducerID: h.ProducerID, Fingerprint: h.Fingerprint,
		DumpID: h.DumpID, DumpTime: h.Time(), Flags: h.Flags}
}

// RandomDumpID returns a new ID for Config.DumpID. Without one the ID is derived from the
// content, so that two runs with the same counts would be taken for one dump.
func RandomDumpID() [16]byte { return disk.RandomDumpID() }

// References to what a builder has interned. They are valid for that builder
// only. The zero value of each is none.
type (
	TypeRef    = profileset.TypeRef
	MethodRef  = profileset.MethodRef
	ContextRef = profileset.ContextRef
	ProfileRef = profileset.ProfileRef
	SymbolRef  = intern.SymbolRef
)

// NoContext is the context of a profile that holds for every caller.
const NoContext = profileset.NoContext

// Errors, to match with errors.Is.
var (
	// ErrDuplicate: the run has recorded a profile of that method, code and context before.
	ErrDuplicate = profileset.ErrDuplicate
	// ErrMismatch: archives, or the parts of one, do not fit together.
	ErrMismatch = profileset.ErrMismatch
	// ErrDomain: there is no such domain, or it cannot hold what was to be recorded.
	ErrDomain = profileset.ErrDomain
)

// A Builder gathers profiles.
type Builder struct{ set *profileset.Set }

// Internal returns what the builder holds, for the packages of this module. No other module can name its type.
func (b *Builder) Internal() *profileset.Set { return b.set }

// New returns an empty builder. If the domain or the config is not valid, its Err says so from the start, and
// every Done and Commit fails with that error; the error of an unknown domain matches ErrDomain. Without a
// Config.ProducerID a builder of layout.DomainCustom is for a merge, and gets the id of the first archive: until then
// Method, Profile and DeclareShape are an error of the builder.
func New(domain layout.Domain, config Config) *Builder {
	c := &config
	set := profileset.New(domain, profileset.Heading{Params: c.Params, Producer: c.Producer, ProducerID: c.ProducerID,
		Fingerprint: c.Fingerprint, DumpID: c.DumpID, DumpTime: c.DumpTime, Flags: c.Flags},
		spill.Config{Budget: c.MemoryBudget, Folder: c.SpillFolder})
	set.Workers = c.Workers
	set.Progress = c.Progress
	set.GiveRoom(c.ReceiverRows)
	if c.Run != nil {
		set.DescribeRun(*c.Run)
	}
	return &Builder{set}
}

// Domain returns the domain that the builder was made for.
func (b *Builder) Domain() layout.Domain { return b.set.Domain }

// Err returns the first error of any call on the builder.
func (b *Builder) Err() error { return b.set.Err() }

// Symbol interns any text or bytes, for tables.
func (b *Builder) Symbol(text string) SymbolRef { return b.set.Symbol(text) }

// A TypeKey names a type.
type TypeKey struct {
	Name   string // in the domain's own spelling; HotSpot: internal, "java/lang/String", "[Ljava/lang/String;"
	Loader string // identity of the class loader, empty for the boot loader or if not known
}

// Type interns a type.
func (b *Builder) Type(k TypeKey) TypeRef { return b.set.Type(k.Name, k.Loader) }

// DescribeType adds facts about a type: the producer's spelling, if it differs from the name, and flags. Flags
// are united; of several spellings the one that sorts first is kept.
func (b *Builder) DescribeType(t TypeRef, alias string, flags layout.TypeFlags) {
	b.set.DescribeType(t, alias, flags)
}

// Method interns a method. Its class, if any, is interned as a type with the key's loader.
func (b *Builder) Method(k layout.Key) MethodRef { return b.set.Method(k) }

// DescribeMethod adds to a method's access flags, as in a class file, and to its other flags.
func (b *Builder) DescribeMethod(m MethodRef, access uint32, flags layout.MethodFlags) {
	b.set.DescribeMethod(m, access, flags)
}

// Seen notes methods that were loaded or instrumented. A method that nothing shows to have run (no profile,
// context, sampled stack or callee) is recorded as unexecuted.
func (b *Builder) Seen(methods ...MethodRef) { b.set.Seen(methods...) }

// A Frame is one caller: where, in which method, the call stands.
type Frame struct {
	Caller MethodRef
	Point  int32
}

// Context interns the calling context of a method, whose frames go from the direct
// caller outward. Without frames it returns NoContext.
func (b *Builder) Context(m MethodRef, frames ...Frame) ContextRef {
	if !b.set.CheckDepth(m, len(frames)) {
		return NoContext
	}
	node := NoContext
	for _, f := range frames {
		node = b.set.OuterContext(m, node, f.Caller, f.Point)
		if node == NoContext {
			break
		}
	}
	return node
}

// DeclareShape declares the entries of one of the producer's tags, for Profile.Custom. It
// needs layout.DomainCustom. Declaring a shape again does nothing; the error matches
// ErrMismatch if the tag has another shape. A merge has the shapes of all archives.
func (b *Builder) DeclareShape(s layout.EntryShape) error { return b.set.Declare(s) }

// A Table gathers the rows of one table of ex, in the order in which they are added.
type Table struct{ data *profileset.Table }

// Table returns the table of a kind, with those columns or, if none are named, with those of its kind; it is
// made if the builder does not have it yet. Asking for other columns than before is an error of the builder.
func (b *Builder) Table(kind disk.TableKind, flags uint32, columns ...disk.ColumnKind) *Table {
	return &Table{b.set.Table(kind, flags, columns...)}
}

// Row adds a row. A cell is a number, or a reference of the builder as a number (uint64(ref)), as its column
// says. Each run may number the groups of samples and traces from 0.
func (t *Table) Row(cells ...uint64) { t.data.Row(cells...) }

// ExpectBase records that the archive is a layer on another one, which has the profiles that this one lacks:
// reader.OpenLayers opens the two together. An archive is a layer on one other: with a second one the archive
// is not written, and the error matches ErrMismatch.
func (b *Builder) ExpectBase(base layout.BaseArchive) { b.set.ExpectBase(base) }

// Commit lays out the archive and creates or replaces the file at path in one step: by way of a temporary
// file that is synced and renamed. After an error the old file stays. A killed process leaves a
// .profarc-*.tmp, which the next Commit into the directory removes. A replaced file keeps its permissions;
// another user's link in a directory that all may write to is refused with fs.ErrPermission. The builder can
// be added to and committed again.
func (b *Builder) Commit(ctx context.Context, path string) (Report, error) {
	r, err := archivewriter.Publish(ctx, b.set, path)
	return Report(r), err
}

// Bytes lays out the archive in memory.
func (b *Builder) Bytes() ([]byte, Report, error) {
	data, r, err := archivewriter.Bytes(b.set)
	return data, Report(r), err
}

// Open lays the archive out in memory and opens it. Name stands for a file name in errors.
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

// Report says what Commit wrote.
type Report struct {
	Counts layout.Counts
	Bytes  int64  // size of the file
	Base   uint64 // requested base
	DumpID [16]byte
	// Duplicates is the number of profiles that were refused with ErrDuplicate.
	Duplicates int
}
