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

// OpenReaderAt opens an archive of size bytes from r, for instance a part of a larger file. name is the path in
// errors. The archive is read into memory, o.Heap is ignored, and r is not used afterwards. Errors about the content
// are the same as from Open; other errors come from r.
func OpenReaderAt(name string, r io.ReaderAt, size int64, o Options) (*Mapping, error) {
	data, err := readWhole(io.NewSectionReader(r, 0, max(size, 0)), size)
	if err != nil {
		return nil, o.reportRejection(addFileName(err, name))
	}
	return FromBytes(name, data, o)
}

// OpenFS opens an archive in a file system, such as an embedded one. The archive is read into memory, and o.Heap is
// ignored. Errors about the content are the same as from Open; other errors come from the file system.
func OpenFS(fsys fs.FS, name string, o Options) (*Mapping, error) {
	data, err := readFile(fsys, name)
	if err != nil {
		return nil, o.reportRejection(addFileName(err, name))
	}
	return FromBytes(name, data, o)
}

func readFile(fsys fs.FS, name string) (data []byte, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err == nil {
		err = requireRegular(name, info)
	}
	if err != nil {
		return nil, err
	}
	return readWhole(f, info.Size())
}

func addFileName(err error, name string) error {
	var path *fs.PathError
	var content *layout.Error
	if errors.As(err, &path) || errors.As(err, &content) {
		return disk.WithFileName(err, name)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Expect has the requirements on an archive; see archive.Expect.
type Expect struct {
	Domain      layout.Domain
	ProducerID  [16]byte
	Producer    string
	Fingerprint [16]byte
	Params      *layout.Params
	Program     *Program
}

// A Program is a VM build with a class path; see archive.Program.
type Program struct {
	VM        string
	ClassPath []layout.ClassPathEntry
	Appended  bool
}

func (p *Program) matchesFingerprint(recorded [16]byte) bool {
	switch {
	case recorded == [16]byte{}:
		return false
	case !p.Appended:
		return recorded == disk.Fingerprint(p.VM, p.ClassPath)
	}
	for f := range disk.Fingerprints(p.VM, p.ClassPath) {
		if f == recorded {
			return true
		}
	}
	return false
}

func (e *Expect) checkHeader(h *layout.Header) error {
	if e.Domain != 0 && e.Domain != h.Domain {
		return mismatch("its domain is %s, expected is %s: name an archive of that profiler", h.Domain, e.Domain)
	}
	if e.ProducerID != [16]byte{} && e.ProducerID != h.ProducerID {
		return mismatch("it is of the producer %x (%s), expected is %x: name an archive of that producer", h.ProducerID,
			h.Producer, e.ProducerID)
	}
	if e.Producer != "" && e.Producer != h.Producer {
		return mismatch("its producer is %q, expected is %q: record it again with that one", h.Producer, e.Producer)
	}
	if e.Fingerprint != [16]byte{} && e.Fingerprint != h.Fingerprint {
		return mismatch("it was recorded with the program %x, this one is %x: record it again with this program",
			h.Fingerprint, e.Fingerprint)
	}
	if e.Program != nil && !e.Program.matchesFingerprint(h.Fingerprint) {
		if h.Fingerprint == [16]byte{} {
			return mismatch("it does not say which program it was recorded with: record it again, or expect no program")
		}
		return mismatch("it was recorded with another build of the VM or another class path (%x): record it again with "+
			"this program, or expect none", h.Fingerprint)
	}
	if e.Params == nil {
		return nil
	}
	return compareShapingSettings(&h.Params, e.Params)
}

func compareShapingSettings(has, want *layout.Params) error {
	for _, s := range []struct {
		name      string
		has, want uint32
	}{{"TypeProfileWidth", has.TypeProfileWidth, want.TypeProfileWidth},
		{"BciProfileWidth", has.BciProfileWidth, want.BciProfileWidth},
		{"cells between a receiver entry's count and its rows", has.ReceiverGap, want.ReceiverGap}} {
		if s.has != s.want {
			return mismatch("%s is %d in it, expected is %d: run with the setting it was recorded with, or record it again",
				s.name, s.has, s.want)
		}
	}
	return nil
}

func mismatch(format string, args ...any) error {
	return &layout.Error{Offset: -1, Kind: layout.ErrIdentity, Detail: fmt.Sprintf(format, args...)}
}

// OpenWaiting opens a file with a flag, os.O_RDONLY or os.O_WRONLY. For a named pipe, it waits until another process
// has opened the other end, or until ctx is done.
func OpenWaiting(ctx context.Context, name string, flag int) (*os.File, error) {
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.OpenFile(name, flag, 0)
	}
	type opened struct {
		*os.File
		error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(name, flag, 0)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.File, o.error
	case <-ctx.Done():
	}
	// Opening both ends of the pipe ends the wait. If this process may not, the goroutine keeps waiting.
	if both, err := os.OpenFile(name, os.O_RDWR, 0); err == nil {
		o := <-done
		_ = o.Close()
		_ = both.Close()
	}
	return nil, ctx.Err()
}
