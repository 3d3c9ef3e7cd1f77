package mapped

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strconv"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mmap"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// Open opens the archive at path. Errors about the content are *layout.Error and match ErrFormat, ErrVersion,
// ErrTruncated, ErrChecksum, ErrCorrupt or ErrIdentity of package layout. Other errors come from package os.
func Open(path string, o Options) (*Mapping, error) {
	m, view, err := loadFile(path, o.Heap)
	if err == nil {
		err = m.validateAndInit(o)
	}
	if err != nil {
		// No caller has the memory yet, so it need not wait for a cleanup.
		err = errors.Join(disk.WithFileName(err, path), unloadFile(m, view))
		return nil, o.reportRejection(err)
	}
	if view != nil {
		runtime.AddCleanup(m, func(v *mmap.View) { v.Unmap() }, view)
	}
	return m, nil
}

// FromBytes opens an archive in memory, where name is the path in errors. It copies bytes that are not aligned to 8.
// The bytes must not change while the Mapping is in use. o.Heap is ignored.
func FromBytes(name string, data []byte, o Options) (*Mapping, error) {
	if words.AddressOfBytes(data)%disk.Unit != 0 {
		if _, err := disk.ParseHeader(data, int64(len(data))); err != nil {
			return nil, o.reportRejection(disk.WithFileName(err, name))
		}
		data = append(words.AlignedBytes(len(data))[:0], data...)
	}
	m := &Mapping{name: name, data: data}
	if err := m.validateAndInit(o); err != nil {
		return nil, o.reportRejection(disk.WithFileName(err, name))
	}
	return m, nil
}

// loadFile maps or reads a file without checking it. view is nil if its bytes are on the heap.
func loadFile(path string, heap bool) (m *Mapping, view *mmap.View, err error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, nil, err
	}
	m = &Mapping{name: path}
	// A file larger than any archive is rejected when its header is parsed.
	mapped := min(size, disk.MaxFileSize)
	if heap || !mmap.Available || size == 0 || checkAddressable(mapped) != nil {
		m.data, err = readWhole(f, size)
		return m, nil, errors.Join(err, f.Close())
	}
	m.file = f
	view, err = mmap.NewView(f, mapped)
	if err != nil {
		return m, nil, fmt.Errorf("%s: %w", path, err)
	}
	m.data = view.Bytes()
	mmap.AdviseRandom(m.data, true)
	m.randomTouches.Store(randomTouchLimit)
	return m, view, nil
}

func unloadFile(m *Mapping, view *mmap.View) error {
	var err error
	if view != nil {
		err = view.Unmap()
	}
	if m != nil {
		err = errors.Join(err, m.Close())
	}
	return err
}

// openRegular opens an ordinary file. It checks this first, since opening a pipe would wait for a writer.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = requireRegular(path, info)
	}
	if err != nil {
		return nil, 0, err
	}
	// With NonBlocking, package os saves four calls to find out that the file cannot be polled.
	f, err := os.OpenFile(path, os.O_RDONLY|NonBlocking, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err = f.Stat()
	if err == nil {
		err = requireRegular(path, info) // the file may have been replaced
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

func requireRegular(path string, info fs.FileInfo) error {
	detail, advice := "it is a device or a pipe", "name an archive file"
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		detail, advice = "it is a folder", "name an archive file in it"
	}
	return &layout.Error{File: path, Offset: -1, Kind: layout.ErrFormat, Detail: detail, Advice: advice}
}

// maxHeaderSize limits the header size of any version.
const maxHeaderSize = 1 << 16

// readWhole reads a file of size bytes. It checks the header before it allocates memory for the rest.
func readWhole(f io.Reader, size int64) ([]byte, error) {
	if size < 0 {
		return nil, &layout.Error{Offset: -1, Kind: layout.ErrTruncated,
			Detail: fmt.Sprintf("it has a size of %d bytes", size)}
	}
	head := make([]byte, min(size, maxHeaderSize))
	if err := readFull(f, head, 0); err != nil {
		return nil, err
	}
	if _, err := disk.ParseHeader(head, size); err != nil {
		return nil, err
	}
	if err := checkAddressable(size); err != nil {
		return nil, err
	}
	data := words.AlignedBytes(int(size))
	copy(data, head)
	return data, readFull(f, data[len(head):], int64(len(head)))
}

// checkAddressable returns an error for a file that exceeds the address space: 2 GiB or more on 32-bit systems and on
// WebAssembly, whose memory is equally small although its int has 64 bits.
func checkAddressable(size int64) error {
	if size <= math.MaxInt32 || strconv.IntSize == 64 && runtime.GOARCH != "wasm" {
		return nil
	}
	return &layout.Error{Offset: -1, Kind: layout.ErrTooLarge,
		Detail: fmt.Sprintf("%d bytes do not fit into the address space", size), Advice: "use it on a 64-bit system"}
}

// readFull fills b from the file's current position, which is at.
func readFull(f io.Reader, b []byte, at int64) error {
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &layout.Error{Offset: at + int64(n), Kind: layout.ErrTruncated,
			Detail: "the file became shorter while it was read", Advice: "open it again"}
	}
	return err
}

func (m *Mapping) validateAndInit(o Options) error {
	err := m.Guard(func() (err error) {
		m.header, err = disk.ParseHeader(m.data, int64(len(m.data)))
		return err
	})
	if err != nil {
		return err
	}
	if !o.Drafts {
		if err := disk.CheckFinal(m.header); err != nil {
			return err
		}
	}
	if err := o.Expect.checkHeader(m.header); err != nil {
		return err
	}
	for r := range m.spans {
		m.spans[r] = disk.RegionOf(m.header, layout.Region(r))
	}
	m.checksums = newPageChecksums(m.header, m.data)
	m.checksums.fetcher = m.fetcher
	m.checked = m.checksums.checked
	if o.Check == CheckAll {
		if err := m.Verify(context.Background(), nil); err != nil {
			return err
		}
	}
	m.trusted = o.Check != CheckOnTouch
	if m.trusted {
		m.Sweep()
	}
	return m.readShape()
}

// readShape sets the shape of entries. Only an archive of DomainCustom can declare its own.
func (m *Mapping) readShape() (err error) {
	m.shape = disk.ShapeOfParams(&m.header.Params)
	if m.header.Domain == layout.DomainCustom {
		err = m.Guard(func() (err error) {
			m.shape.Declared, err = disk.ReadDeclared(m.header, m.Bytes)
			return err
		})
	}
	return err
}

// A Check chooses when pages are checked against their checksums.
type Check int

// The choices.
const (
	CheckOnTouch Check = iota // each page on first access
	CheckAll                  // all pages when the archive is opened
	CheckNone                 // never; only bounds are checked
)

// Options control how an archive is opened; see archive.Options. The zero value maps it and checks pages lazily.
type Options struct {
	Heap     bool // read the file into memory instead of mapping it
	Check    Check
	Expect   Expect
	OnReject func(error)
	Drafts   bool // accept an archive of the last drafts before version 1, for conversion
}

func (o *Options) reportRejection(err error) error {
	if o.OnReject != nil {
		o.OnReject(err)
	}
	return err
}
