package archive

import (
	"context"
	"errors"

	"github.com/profarc/profarc/layout"
)

// ErrClosed is what every call gives after Close.
var ErrClosed = errors.New("archive is closed")

// A Mapping is an open archive. It is safe for concurrent use.
type Mapping struct{}

// Open opens the archive at path.
func Open(path string, o Options) (*Mapping, error) { return nil, nil }

// FromBytes opens an archive that lies in memory; name stands for the path in
// errors. The bytes are copied if they are not aligned to 8, must not change
// while the Mapping is in use, and o.Mode is ignored.
func FromBytes(name string, data []byte, o Options) (*Mapping, error) { return nil, nil }

// Name is the path that was opened.
func (m *Mapping) Name() string { return "" }

// Header is the decoded header. It must not be changed.
func (m *Mapping) Header() *layout.Header { return nil }

// Bytes gives size bytes of the file from offset on, which must lie wholly
// inside region, after checking the pages they lie in. Errors are *layout.Error
// with file, region and offset, or ErrClosed. It allocates nothing. The bytes
// must not be written to.
func (m *Mapping) Bytes(region layout.Region, offset, size int64) ([]byte, error) { return nil, nil }

// Tail gives the bytes of region from offset to its end WITHOUT checking any
// page: the caller uses it to learn a size and then calls Bytes.
// (removed if it turns out that nobody needs it)

// Progress is told how far a long call has come, in bytes of total.
type Progress func(done, total int64)

// Verify checks every page of the file against its sum, whatever Check says.
// The error is the first damage by offset. progress may be nil.
func (m *Mapping) Verify(ctx context.Context, progress Progress) error { return nil }

// Close makes every later call fail with ErrClosed. Closing twice is fine.
func (m *Mapping) Close() error { return nil }

// Guard runs f and turns a memory fault on mapped memory (the file was cut
// short by somebody else while it was mapped) into an error that matches
// layout.ErrTruncated and names the offset. It is meant round opening,
// verifying, iterating and batches; it is per goroutine.
func (m *Mapping) Guard(f func() error) error { return nil }

// Base says where an adopted archive is to lie.
type Base int

// The choices.
const (
	Requested Base = iota // at the base the archive asks for, if it is free, else anywhere
	Anywhere              // wherever the system puts it
)

// An Adopted is a second mapping of an archive in which rw may be written:
// private and copy-on-write. It keeps its Mapping alive.
type Adopted struct{}

// Adopt maps the archive for adoption. late is the number of bytes of zeroed,
// writable memory to provide beside it. Nothing is relocated.
func (m *Mapping) Adopt(base Base, late int) (*Adopted, error) { return nil, nil }

// Base is the address at which the archive lies.
func (a *Adopted) Base() uint64 { return 0 }

// AtRequested reports whether it lies at the requested base, so that no
// pointer needs relocation.
func (a *Adopted) AtRequested() bool { return false }

// RW is the writable rw region.
func (a *Adopted) RW() []byte { return nil }

// Late is the writable memory beside the archive.
func (a *Adopted) Late() []byte { return nil }
