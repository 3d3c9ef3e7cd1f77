// Package archive opens archive files. It checks the header, maps the file for reading, and checks pages on first
// access. Package reader finds and adopts profiles, and package builder writes archives.
//
// # Opening
//
// [Open] checks the header and the geometry of all regions, at a cost that does not depend on the size of the file. It
// disables read-ahead for the first pages, because a first lookup needs few pages that are far apart.
// [Mapping.Bytes] checks the checksum of each other page on first access. [Options] has alternatives.
//
// [OpenFS], [OpenReaderAt] and [FromBytes] open archives that are not separate files. These archives are in ordinary
// memory and are checked in the same way.
//
// # Lifetimes
//
// [Mapping.Bytes] returns memory of the mapping, which is valid while the [Mapping] is reachable. A value that keeps
// such bytes must also keep the Mapping, and call runtime.KeepAlive after the last access. After [Mapping.Close] all
// calls fail with [ErrClosed]. The memory is released only when the Mapping is unreachable, so that stale views never
// read reused memory.
//
// On Windows a file cannot be replaced or removed while a mapping of it exists, which can be some time after Close. If
// the program itself replaces the archive, open it with [Options].Heap.
//
// # Trust
//
// No file makes this package read outside the mapping or allocate more memory than the size of the file. If another
// process truncates a mapped file, access to its end faults. Open, Verify and, by default, the first access to a page
// turn the fault into an error. [Mapping.Guard] does so for all other accesses. An unguarded fault ends the process.
// Therefore replace archives by renaming, like builder.Builder.Commit, and never write to them.
package archive

import (
	"context"
	"io"
	"io/fs"

	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
)

// ErrClosed is the error of all calls after Close.
var ErrClosed = mapped.ErrClosed

// A Mapping is an open archive. It is safe for concurrent use.
type Mapping mapped.Mapping

func (m *Mapping) mapped() *mapped.Mapping { return (*mapped.Mapping)(m) }

// Name returns the path or name given on opening.
func (m *Mapping) Name() string { return m.mapped().Name() }

// Header returns the decoded header. It must not be changed.
func (m *Mapping) Header() *layout.Header { return m.mapped().Header() }

// Bytes checks the pages of [offset, offset+size) against their checksums and returns the bytes. The range must be
// inside region. Errors are *layout.Error with file, region and offset, or match ErrClosed. It does not allocate once
// the pages are checked. The bytes must not be modified.
func (m *Mapping) Bytes(region layout.Region, offset, size int64) ([]byte, error) {
	return m.mapped().Bytes(region, offset, size)
}

// Guard runs f and turns a fault on mapped memory into an error that matches layout.ErrTruncated and names the offset.
// Such faults occur if another process truncates the mapped file. Guard is too expensive for single accesses, so use it
// around opening, verifying, iterating and batches. It guards only the calling goroutine, and includes memory mapped
// for adoption. It also works after Close, because a caller can still read bytes that it got earlier.
func (m *Mapping) Guard(f func() error) error { return m.mapped().Guard(f) }

// Verify checks every byte of the file including padding, regardless of the options and of earlier checks. It returns
// the first defect by offset, and does not look into pages with wrong checksums. progress may be nil. Otherwise it is
// called with the number of bytes checked and the size of the file, by one goroutine at a time.
func (m *Mapping) Verify(ctx context.Context, progress func(done, total int64)) error {
	return m.mapped().Verify(ctx, progress)
}

// Close makes all later calls fail with ErrClosed. Closing twice is allowed. The memory is released when the Mapping
// is unreachable.
func (m *Mapping) Close() error { return m.mapped().Close() }

// Open opens the archive at path. Errors about the content of the file are *layout.Error and match ErrFormat,
// ErrVersion, ErrTruncated, ErrChecksum, ErrCorrupt or ErrIdentity of package layout. Other errors come from package
// os.
func Open(path string, o Options) (*Mapping, error) {
	m, err := mapped.Open(path, o.mapped())
	return (*Mapping)(m), err
}

// FromBytes opens an archive in memory; name is used in errors. data must not change while the Mapping is in use. It
// is copied if it is not aligned to 8 bytes. o.Heap is ignored.
func FromBytes(name string, data []byte, o Options) (*Mapping, error) {
	m, err := mapped.FromBytes(name, data, o.mapped())
	return (*Mapping)(m), err
}

// OpenFS opens the archive called name in a file system, such as one embedded in the program. It reads the archive into
// ordinary memory, and ignores o.Heap. Errors are as from Open, or come from the file system.
func OpenFS(fsys fs.FS, name string, o Options) (*Mapping, error) {
	m, err := mapped.OpenFS(fsys, name, o.mapped())
	return (*Mapping)(m), err
}

// OpenReaderAt opens an archive of size bytes that r reads, such as one inside a larger file; name is used in errors.
// It reads the archive into ordinary memory and does not use r afterwards. o.Heap is ignored. Errors about the content
// are like the errors of Open. Other errors come from r.
func OpenReaderAt(name string, r io.ReaderAt, size int64, o Options) (*Mapping, error) {
	m, err := mapped.OpenReaderAt(name, r, size, o.mapped())
	return (*Mapping)(m), err
}

// OpenRanges opens an archive of size bytes and reads ranges of it through r on demand, for example from an object
// store; name is used in errors. It reads page checksums, names and tables now. Other parts are read on first access,
// 64 KiB or the requested range at a time, and more if accesses are sequential. r must be safe for concurrent use and
// is used until the Mapping is closed. The Mapping reserves address space for the whole archive, but uses memory only
// for pages that were read. o.Heap is ignored, and o.CheckAll and o.Unchecked must not be set. Errors about the
// content are like the errors of Open. Other errors come from r.
func OpenRanges(name string, r io.ReaderAt, size int64, o Options) (*Mapping, error) {
	m, err := mapped.OpenRanges(name, r, size, o.mapped())
	return (*Mapping)(m), err
}

// Options are the options for opening an archive. The zero value maps the file and checks each page on first access.
type Options struct {
	Heap      bool // read the file into ordinary memory, which the race detector sees, instead of mapping it
	CheckAll  bool // check all pages on opening, which reads the whole file
	Unchecked bool // check only bounds, not the checksums of pages
	Drafts    bool // also open archives of drafts 7 and 8, to convert them
	Expect    Expect
	// OnReject may be nil. It is called with the error of opening, so that a VM can log it and continue without a profile.
	OnReject func(error)
}

// Expect describes the archive that is expected. Zero fields are not compared. A mismatch matches [layout.ErrIdentity].
type Expect struct {
	Domain      layout.Domain
	ProducerID  [16]byte       // see layout.Header
	Producer    string         // complete string, such as "numbat 1.4.2"
	Fingerprint [16]byte       // fingerprint of VM and class path, see docs/format.md
	Params      *layout.Params // only settings that determine the cells of entries are compared
	// Program is the program that will use the archive. If it is nil, look up profiles with code ids instead of
	// layout.CodeAny, so that profiles of other code are not found.
	Program *Program
}

// A Program is a build of a VM with a class path.
type Program struct {
	VM string // complete build string, as in layout.Provenance
	// ClassPath has the entries of the class path, see SumContent. Their paths are not compared.
	ClassPath []layout.ClassPathEntry
	// Appended also accepts an archive whose class path is a prefix of ClassPath, like CDS.
	Appended bool
}

func (o *Options) mapped() mapped.Options {
	e := &o.Expect
	to := mapped.Options{Heap: o.Heap, OnReject: o.OnReject, Drafts: o.Drafts, Expect: mapped.Expect{Domain: e.Domain,
		ProducerID: e.ProducerID, Producer: e.Producer, Fingerprint: e.Fingerprint, Params: e.Params,
		Program: (*mapped.Program)(e.Program)}}
	switch {
	case o.CheckAll:
		to.Check = mapped.CheckAll
	case o.Unchecked:
		to.Check = mapped.CheckNone
	}
	return to
}
