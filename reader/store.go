package reader

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/sparsebits"
	"github.com/profarc/profarc/layout"
)

// The sentinels of lookups.
var (
	// ErrNotFound: the archive has no such record. A sound archive that does
	// not hold the key gives this, a damaged one never does.
	ErrNotFound = errors.New("not in the archive")
	// ErrAmbiguous: several records fit; say more.
	ErrAmbiguous = errors.New("several records fit")
	// ErrNotAdopted: a live value was to be written, and the profile was not
	// adopted.
	ErrNotAdopted = errors.New("profile is not adopted")
)

// A Store is an open archive. It is safe for concurrent use.
type Store struct {
	m     *archive.Mapping
	h     *layout.Header
	data  []byte // the file; what was checked once is read here
	shape disk.Shape

	sound  *sparsebits.Set // blocks that were checked: one bit for 8 bytes of rw
	leaves leaves

	methodText, typeText atomic.Bool // the texts of their keys are within bounds
	bindings             bindings

	adopting sync.Mutex // held while an adoption is being made
	adoption atomic.Pointer[adoption]
}

// Open opens the archive at path.
func Open(path string, o archive.Options) (*Store, error) {
	m, err := archive.Open(path, o)
	if err != nil {
		return nil, err
	}
	return New(m), nil
}

// New makes a Store of a mapping, which it then owns.
func New(m *archive.Mapping) *Store {
	h := m.Header()
	return &Store{m: m, h: h, data: m.Unchecked(), shape: disk.ShapeOf(&h.Params), sound: sparsebits.New(h.Region(layout.RegionRW).Size / disk.Unit)}
}

// Mapping is the archive itself.
func (s *Store) Mapping() *archive.Mapping { return s.m }

// Header is the decoded header. It must not be changed.
func (s *Store) Header() *layout.Header { return s.h }

// Close closes the archive; see the package comment.
func (s *Store) Close() error { return s.m.Close() }

// open returns archive.ErrClosed after Close.
func (s *Store) open() error {
	_, err := s.m.Bytes(layout.RegionHeader, 0, 0)
	return err
}

// corrupt makes an error that names the archive's file.
func (s *Store) corrupt(r layout.Region, offset int64, format string, args ...any) error {
	e := disk.Corrupt(r, offset, format, args...)
	e.File = s.m.Name()
	return e
}
