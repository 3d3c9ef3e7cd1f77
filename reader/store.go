// Package reader looks profiles up in a mapped archive and adopts them where they lie.
//
// A [Store] is an open archive. [Store.Find] takes a method's key, [Store.FindID] its 64-bit id; both return
// a [Method] without allocating. [Method.Profile] returns its [Profile]: a view of the MethodData in the
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
// The first time a profile is fetched its whole block is checked: page sums,
// geometry, every entry, every pointer. After that its accessors cannot fail,
// and fetching it again only tests a bit. Names are checked when they are read.
//
// # Adoption
//
// [Store.Adopt] maps the archive once more, writable and private. From then on [Profile.Claim] claims a
// profile, [Store.ClaimBatch] many: pointers are relocated if they must be, and counters may be counted in
// place, by Go code through [Counter.Add] and [Receivers.Record] and by native code through
// [Profile.Address]. The file never changes, so that [Counter.Trained] still returns the trained count next
// to the live one of [Counter.Load].
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
	"github.com/profarc/profarc/internal/file/extent"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/file/mmap"
	"github.com/profarc/profarc/internal/file/sparsebits"
	"github.com/profarc/profarc/layout"
)

// The sentinels of lookups.
var (
	// ErrNotFound: the archive has no such record. A damaged archive never returns
	// it for a record that it was written with.
	ErrNotFound = errors.New("not in the archive")
	// ErrAmbiguous: several records fit.
	ErrAmbiguous = errors.New("several records fit")
	// ErrNotAdopted: the store or the profile is not adopted.
	ErrNotAdopted = errors.New("profile is not adopted")
	// ErrUndecoded: the profile comes from a VM newer than the release that dumped it, which
	// kept a part as raw words. It can be read, and is never adopted; all others can be.
	ErrUndecoded = errors.New("profile has entries that the profarc that dumped it did not know")
)

// A Store is an open archive. It is safe for concurrent use.
type Store struct {
	m     *mapped.Mapping
	h     *layout.Header
	data  []byte // the file, for reading what was checked
	shape disk.Shape
	fixed *disk.Fixed
	masks atomic.Pointer[masks] // nil until many blocks are going to be checked
	hit   hitPath

	// undecoded is whether a block with a TagUndecoded entry was checked. Whoever has a
	// profile has had it checked, so that adoption looks for such entries in no other archive.
	undecoded atomic.Bool

	checkedBlocks  *sparsebits.Set // blocks that were checked: one bit for 8 bytes of rw
	contextMethods contextMethods

	methodText, typeText atomic.Bool // their keys are within the text budget
	bindings             bindings

	adopting sync.Mutex // held while an adoption is being made
	adoption atomic.Pointer[adoption]
}

// Open opens the archive at path. Its errors are those of [archive.Open].
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
		checkedBlocks: sparsebits.New(h.Region(disk.RegionRW).Size / disk.Unit)}
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
	s.hit.closePath()
	return s.m.Close()
}

// checkOpen returns archive.ErrClosed after Close.
func (s *Store) checkOpen() error {
	_, err := s.m.Bytes(disk.RegionHeader, 0, 0)
	return err
}

// corruptError returns an error with the file name of the archive.
func (s *Store) corruptError(r extent.Region, offset int64, format string, args ...any) error {
	e := disk.Corrupt(r, offset, format, args...)
	e.File = s.m.Name()
	return e
}
