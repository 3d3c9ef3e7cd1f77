// Package reader looks up profiles in a mapped archive and adopts them without copying.
//
// A [Store] is an open archive. [Store.Find] takes a method's key, [Store.FindID] its 64-bit id; both return
// a [Method] without allocating. [Method.Profile] returns its [Profile], a view of the MethodData in the
// mapping. Nothing is parsed, copied or written. [Store.ProfileBatch] and [Store.ProfileIDBatch] look up many
// profiles at once, several times faster in a large archive.
//
//	s, err := reader.Open("app.parc", archive.Options{})
//	m, err := s.Find(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"})
//	p, _, err := m.Profile(layout.CodeAny)
//	for e := range p.Entries() {
//		if b, ok := e.Branch(); ok { ... }
//	}
//
// # Checked once
//
// The first lookup of a profile checks its whole block, including page checksums, all entries and all pointers. After
// that its accessors cannot fail, and further lookups only test a bit. Names are checked when they are read.
//
// # Adoption
//
// [Store.Adopt] maps the archive a second time, writable and private. Then [Profile.Claim] claims a profile and
// [Store.ClaimBatch] claims many. Claiming relocates the pointers of a profile if necessary. From then on Go code can
// count in it through [Counter.Add] and [Receivers.Record], and native code through [Profile.Address]. The file never
// changes, so [Counter.Trained] still returns the trained count. [Counter.Load] returns the live count.
//
// # The barrier
//
// A type of the training run may not exist yet in this one. [Store.Bind] ties a [Type] to the embedder's own
// class when that class is loaded; until then it is [BindingUnbound], and [Receivers.Bound] skips its rows.
//
// # Lifetimes
//
// Every value of this package keeps its mapping alive. After [Store.Close] calls that
// need the archive fail with [archive.ErrClosed]. Values fetched before stay readable;
// the memory is released when the last of them is unreachable.
package reader

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/file/mmap"
	"github.com/profarc/profarc/internal/file/sparsebits"
	"github.com/profarc/profarc/layout"
)

// The sentinels of lookups.
var (
	// ErrNotFound is the error of a lookup without result. A damaged archive never returns it for a record that it
	// contains.
	ErrNotFound = errors.New("not in the archive")
	// ErrAmbiguous is the error of a lookup with several results.
	ErrAmbiguous = errors.New("several records fit")
	// ErrNotAdopted is the error of counting in a store or profile that is not adopted.
	ErrNotAdopted = errors.New("profile is not adopted")
	// ErrUndecoded is the error of adopting a profile of a VM newer than the profarc release that dumped it, which kept
	// a part as raw words. The profile can be read, but never adopted.
	ErrUndecoded = errors.New("profile has entries that the profarc that dumped it did not know")
)

// A Store is an open archive. It is safe for concurrent use.
type Store struct {
	m     *mapped.Mapping
	h     *layout.Header
	data  []byte // the file; only checked ranges may be read
	shape disk.Shape
	fixed *disk.Fixed
	masks atomic.Pointer[masks] // nil until the store is adopted
	hit   hitPath

	crowded atomic.Pointer[disk.Table] // TableCrowded; nil until a search needs it

	// undecoded is set if a checked block has a disk.TagUndecoded entry. Every Profile was checked, so claiming looks
	// for such entries only if undecoded is set.
	undecoded atomic.Bool

	checkedBlocks  *sparsebits.Set  // checked blocks, one bit per unit of rw
	contextMethods sparsebits.Array // method of each context; 0 if it is unknown

	methodText, typeText atomic.Bool      // all keys are within the text budget
	bindings             sparsebits.Array // class of each type

	adopting sync.Mutex // held during Adopt
	adoption atomic.Pointer[adoption]
}

// Open opens the archive at path. It returns the same errors as [archive.Open].
func Open(path string, o archive.Options) (*Store, error) {
	m, err := archive.Open(path, o)
	if err != nil {
		return nil, err
	}
	return New(m), nil
}

// New returns a Store that takes ownership of m. Close the Store, not m.
func New(m *archive.Mapping) *Store { return newStore((*mapped.Mapping)(m)) }

func newStore(m *mapped.Mapping) *Store {
	h := m.Header()
	data := m.Unchecked()
	shape := m.Shape()
	s := &Store{m: m, h: h, data: data, shape: shape, fixed: shape.FixedSizes(),
		checkedBlocks:  sparsebits.New(disk.RegionOf(h, disk.RegionRW).Size / disk.Unit),
		contextMethods: sparsebits.NewArray(h.Parts[disk.PartContexts].Size / disk.ContextSize),
		bindings:       sparsebits.NewArray(int64(h.Counts.Types) + maxLateTypes)}
	s.hit.initPath(h, data)
	s.hit.inRanges = m.InRanges()
	if s.hit.memory != nil {
		runtime.AddCleanup(s, mmap.UnmapZeroed, s.hit.memory)
	}
	return s
}

// Mapping returns the underlying mapping.
func (s *Store) Mapping() *archive.Mapping { return (*archive.Mapping)(s.m) }

// Header returns the decoded header. It must not be modified.
func (s *Store) Header() *layout.Header { return s.h }

// Close closes the archive, see the package comment.
func (s *Store) Close() error {
	s.hit.last.Store(0) // ends all hits and misses
	return s.m.Close()
}

func (s *Store) checkOpen() error {
	_, err := s.m.Bytes(disk.RegionHeader, 0, 0)
	return err
}

func (s *Store) corruptError(r layout.Region, offset int64, format string, args ...any) error {
	e := disk.Corrupt(r, offset, format, args...)
	e.File = s.m.Name()
	return e
}
