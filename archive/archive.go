// Package archive opens an archive file: it checks the header, maps the file for reading, checks pages as they are
// touched, and verifies it. Package reader finds profiles in it and adopts it; package builder writes it.
//
// # Opening
//
// [Open] checks the header and the geometry of all regions, which costs the same for a file of any size. The
// first pages that are touched are read without those around them, if they are not in memory: a first lookup
// needs few, megabytes apart. Every other page is checked against its sum when [Mapping.Bytes] touches it
// first; see [Options] for other choices.
//
// [OpenFS], [OpenReaderAt] and [FromBytes] open an archive that is not a file of its own:
// they have it in ordinary memory, and check it alike.
//
// # Lifetimes
//
// [Mapping.Bytes] returns memory of the mapping. It stays valid as long as the [Mapping] is reachable: a
// value that keeps such bytes must keep the Mapping too, and call runtime.KeepAlive after its last access.
// After [Mapping.Close] every call fails with [ErrClosed]; the memory is released when the Mapping is
// unreachable, so that a stale view never reads memory of something else.
//
// On Windows a file cannot be replaced or removed while a mapping of it exists, which may be some time after
// Close: open an archive that the same program will replace with [Options].Heap.
//
// # Trust
//
// No file makes a call of this package read outside the mapping, or allocate more than the file is long. A
// file that others cut short while it is mapped faults where it ends. Open, Verify and, by default,
// the first touch of a page turn the fault into an error; [Mapping.Guard] does so for all other accesses. An
// unguarded fault ends the process, as with every mapped file: replace archives by renaming, as
// builder.Builder.Commit does, and never write into them.
package archive

import (
	"context"
	"io"
	"io/fs"

	"github.com/profarc/profarc/internal/file/extent"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
)

// ErrClosed is the error of every call after Close.
var ErrClosed = mapped.ErrClosed

// A Mapping is an open archive. It is safe for concurrent use.
type Mapping mapped.Mapping

func (m *Mapping) mapped() *mapped.Mapping { return (*mapped.Mapping)(m) }

// Name returns the path that was opened.
func (m *Mapping) Name() string { return m.mapped().Name() }

// Header returns the decoded header. It must not be changed.
func (m *Mapping) Header() *layout.Header { return m.mapped().Header() }

// Bytes returns size bytes of the file from offset on, after checking the checksums of their pages. The range must
// be inside region. Errors are *layout.Error with file, region and offset, or match ErrClosed. It allocates nothing
// once the pages are checked. The bytes must not be written to.
func (m *Mapping) Bytes(region extent.Region, offset, size int64) ([]byte, error) {
	return m.mapped().Bytes(region, offset, size)
}

// Guard runs f and turns a fault on mapped memory into an error that matches layout.ErrTruncated and names
// the offset. Such a fault occurs if another process cuts the file short while it is mapped. Guard costs too
// much for a single access: use it around opening, verifying, iterating and batches. It guards the goroutine
// that calls it, and memory mapped for adoption too. It runs f also after Close, since bytes that were
// returned before may still be read.
func (m *Mapping) Guard(f func() error) error { return m.mapped().Guard(f) }

// Verify checks every byte of the file, padding included, whatever the options said and whatever was checked
// before. The error is the first damage by offset; pages whose sums are damaged are not checked. progress, if not
// nil, is called with the bytes checked so far and the size of the file, by one goroutine at a time.
func (m *Mapping) Verify(ctx context.Context, progress func(done, total int64)) error {
	return m.mapped().Verify(ctx, progress)
}

// Close makes every later call fail with ErrClosed. Closing twice is fine. The
// memory stays until the Mapping is unreachable.
func (m *Mapping) Close() error { return m.mapped().Close() }

// Open opens the archive at path. Errors about the content of the file are *layout.Error and match ErrFormat,
// ErrVersion, ErrTruncated, ErrChecksum, ErrCorrupt or ErrIdentity of package layout; others come from package os.
func Open(path string, o Options) (*Mapping, error) {
	m, err := mapped.Open(path, o.mapped())
	return (*Mapping)(m), err
}

// FromBytes opens an archive that is in memory; name stands for the path in errors. The bytes are copied if
// they are not aligned to 8, must not change while the Mapping is in use, and o.Heap is ignored.
func FromBytes(name string, data []byte, o Options) (*Mapping, error) {
	m, err := mapped.FromBytes(name, data, o.mapped())
	return (*Mapping)(m), err
}

// OpenFS opens the archive with that name in a file system, for instance one that is embedded in the program.
// It is read into ordinary memory, and o.Heap is ignored. Errors about the content are as from Open; other errors
// come from the file system.
func OpenFS(fsys fs.FS, name string, o Options) (*Mapping, error) {
	m, err := mapped.OpenFS(fsys, name, o.mapped())
	return (*Mapping)(m), err
}

// OpenReaderAt opens an archive of size bytes that r reads, for instance one within a larger file; name
// stands for the path in errors. It is read into ordinary memory, and o.Heap is ignored; r is not used afterwards.
// Errors about the content are as from Open; other errors come from r.
func OpenReaderAt(name string, r io.ReaderAt, size int64, o Options) (*Mapping, error) {
	m, err := mapped.OpenReaderAt(name, r, size, o.mapped())
	return (*Mapping)(m), err
}

// OpenRanges opens an archive of size bytes, whose ranges r reads, for instance out of an object store; name
// stands for the path in errors. Page sums, names and tables are read now, and everything else when it is
// needed for the first time: 64 KiB, or what a call asks for, and more at once the longer the pieces follow
// each other. r must be safe for concurrent use and is used until the Mapping is closed. The memory has the
// size of the archive, but the system provides only the pages that are read. o.Heap is ignored, and neither
// o.CheckAll nor o.Unchecked may be set. Errors about the content are as from Open; other errors come from r.
func OpenRanges(name string, r io.ReaderAt, size int64, o Options) (*Mapping, error) {
	m, err := mapped.OpenRanges(name, r, size, o.mapped())
	return (*Mapping)(m), err
}
