package builder

import (
	"context"
	"time"

	"github.com/profarc/profarc/layout"
)

// Config is what an archive says of itself. The zero value is of use.
type Config struct {
	Params      layout.Params // producer's settings
	Producer    string        // who made the profiles, at most 64 bytes, for instance "OpenJDK 17.0.15+6"
	Fingerprint [16]byte      // of the program; zero if not known
	DumpID      [16]byte      // identity of the dump; derived from the content if zero
	DumpTime    time.Time     // zero if not known
	Flags       uint64        // layout.FlagDelta
	Workers     int           // goroutines used by Commit; GOMAXPROCS if 0
	// Progress, if not nil, is told by Commit how many of how many bytes are
	// written.
	Progress func(done, total int64)
}

// References to what a builder has interned. They are valid for that builder
// only. The zero value of each is none.
type (
	TypeRef    uint32
	MethodRef  uint32
	ContextRef uint32
	ProfileRef uint32
	SymbolRef  uint32
)

// NoContext is the context of a profile that holds for every caller.
const NoContext ContextRef = 0

// A Builder gathers profiles.
type Builder struct{}

// New makes an empty builder.
func New(domain layout.Domain, config Config) *Builder { return nil }

// A TypeKey names a type.
type TypeKey struct {
	Name   string // in the domain's own spelling; HotSpot: internal, "java/lang/String", "[Ljava/lang/String;"
	Loader string // identity of the class loader, empty for the boot loader or if not known
}

// TypeInfo is what is known of a type beside its key.
type TypeInfo struct {
	Alias string // the producer's spelling, if it differs from the name
	Flags layout.TypeFlags
}

// Type interns a type.
func (b *Builder) Type(k TypeKey) TypeRef { return 0 }

// DescribeType adds to what is known of a type: flags are united, the alias
// that sorts first is kept.
func (b *Builder) DescribeType(t TypeRef, info TypeInfo) {}

// Method interns a method. Its class, if any, is interned as a type with the
// key's loader.
func (b *Builder) Method(k layout.Key) MethodRef { return 0 }

// MethodInfo is what is known of a method beside its key.
type MethodInfo struct {
	Access uint32             // access flags as in a class file
	Flags  layout.MethodFlags // MethodNotMatchable
}

// DescribeMethod adds to what is known of a method: flags are united.
func (b *Builder) DescribeMethod(m MethodRef, info MethodInfo) {}

// Seen says that a method was seen. If it has no profile in the end it is
// recorded as one that never ran.
func (b *Builder) Seen(m MethodRef) {}

// A Frame is one caller: where, in which method, the call stands.
type Frame struct {
	Caller MethodRef
	Point  int32
}

// Context interns the calling context of a method; frames go from the direct
// caller outward. No frames give NoContext.
func (b *Builder) Context(m MethodRef, frames ...Frame) ContextRef { return 0 }

// Profile begins the profile of a method, for the code with that id (0 if it
// is not known), in that context. One that is begun twice makes Done fail with
// ErrDuplicate.
func (b *Builder) Profile(m MethodRef, code uint64, c ContextRef) *Profile { return nil }

// Err is the first error of any call on the builder.
func (b *Builder) Err() error { return nil }

// Report says what Commit wrote.
type Report struct {
	Counts layout.Counts
	Bytes  int64 // size of the file
	Base   uint64
	DumpID [16]byte
}

// Commit lays out the archive and publishes it at path; see archive.Publish
// for what a kill leaves behind. The builder can be added to and committed
// again.
func (b *Builder) Commit(ctx context.Context, path string) (Report, error) { return Report{}, nil }

// Bytes lays out the archive in memory.
func (b *Builder) Bytes() ([]byte, Report, error) { return nil, Report{}, nil }
