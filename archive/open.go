package archive

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

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/format/mmap"
	"github.com/profarc/profarc/internal/format/words"
	"github.com/profarc/profarc/layout"
)

// Open opens the archive at path. Errors about the content of the file are *layout.Error
// and match ErrFormat, ErrVersion, ErrTruncated, ErrChecksum,
// ErrCorrupt or ErrIdentity of package layout; others come from package os.
func Open(path string, o Options) (*Mapping, error) {
	m, view, err := load(path, o.Mode)
	if err == nil {
		err = m.admit(o)
	}
	if err != nil {
		// No caller has the memory yet: it need not wait for a cleanup.
		err = errors.Join(disk.InFile(err, path), discard(m, view))
		return nil, o.reject(err)
	}
	if view != nil {
		runtime.AddCleanup(m, func(v *mmap.View) { v.Unmap() }, view)
	}
	return m, nil
}

// FromBytes opens an archive that is in memory; name stands for the path in errors. The bytes are copied if
// they are not aligned to 8, must not change while the Mapping is in use, and o.Mode is ignored.
func FromBytes(name string, data []byte, o Options) (*Mapping, error) {
	if words.Address(data)%disk.Unit != 0 {
		if _, err := disk.ParseHeader(data, int64(len(data))); err != nil {
			return nil, o.reject(disk.InFile(err, name))
		}
		data = append(words.Aligned(len(data))[:0], data...)
	}
	m := &Mapping{name: name, data: data}
	if err := m.admit(o); err != nil {
		return nil, o.reject(disk.InFile(err, name))
	}
	return m, nil
}

// load maps or reads a file, without looking at it. view is nil if its bytes are on the heap.
func load(path string, mode Mode) (m *Mapping, view *mmap.View, err error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, nil, err
	}
	m = &Mapping{name: path}
	// A file longer than any archive is refused when its header is parsed.
	mapped := min(size, disk.MaxFileSize)
	if mode == ModeHeap || !mmap.Available || size == 0 || addressable(mapped) != nil {
		m.data, err = readWhole(f, size)
		return m, nil, errors.Join(err, f.Close())
	}
	m.file = f
	if view, err = mmap.NewView(f, mapped); err != nil {
		return m, nil, fmt.Errorf("%s: %w", path, err)
	}
	m.data = view.Bytes()
	mmap.FarApart(m.data, true)
	m.apart.Store(lookupPages)
	return m, view, nil
}

// discard releases what load returned.
func discard(m *Mapping, view *mmap.View) error {
	var err error
	if view != nil {
		err = view.Unmap()
	}
	if m != nil {
		err = errors.Join(err, m.Close())
	}
	return err
}

// openRegular opens an ordinary file. Others are refused before they are opened, since
// opening a pipe would wait for a writer.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, 0, err
	}
	// Package os takes four calls to find that a file cannot be waited for, unless it is opened so already.
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(path, info) // it may be another file by now
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// regular returns an error unless a file is an ordinary one.
func regular(path string, info fs.FileInfo) error {
	detail, advice := "it is a device or a pipe", "name an archive file"
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		detail, advice = "it is a folder", "name an archive file in it"
	}
	return &layout.Error{File: path, Offset: -1, Kind: layout.ErrFormat, Detail: detail, Advice: advice}
}

// headerReach is the most that the header of any version may take.
const headerReach = 1 << 16

// readWhole reads a file of size bytes. It checks the header before it allocates memory for the rest.
func readWhole(f io.Reader, size int64) ([]byte, error) {
	if size < 0 {
		return nil, &layout.Error{Offset: -1, Kind: layout.ErrTruncated,
			Detail: fmt.Sprintf("it has a size of %d bytes", size)}
	}
	head := make([]byte, min(size, headerReach))
	if err := readFull(f, head, 0); err != nil {
		return nil, err
	}
	if _, err := disk.ParseHeader(head, size); err != nil {
		return nil, err
	}
	if err := addressable(size); err != nil {
		return nil, err
	}
	data := words.Aligned(int(size))
	copy(data, head)
	return data, readFull(f, data[len(head):], int64(len(head)))
}

// addressable returns an error for a file that this process has no addresses for: one of 2 GiB or more on a
// 32-bit system, and for WebAssembly, whose memory is as small although its int has 64 bits.
func addressable(size int64) error {
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

// admit checks the header and makes the mapping ready for use.
func (m *Mapping) admit(o Options) error {
	err := m.Guard(func() (err error) {
		m.header, err = disk.ParseHeader(m.data, int64(len(m.data)))
		return err
	})
	if err != nil {
		return err
	}
	if err := o.Expect.check(m.header); err != nil {
		return err
	}
	for r := range m.spans {
		m.spans[r] = m.header.Region(layout.Region(r))
	}
	m.sums = newPageSums(m.header, m.data)
	m.sums.read = m.pieces
	m.checked = m.sums.checked
	if o.Check == CheckAll {
		if err := m.Verify(context.Background(), nil); err != nil {
			return err
		}
	}
	if m.trusted = o.Check != CheckOnTouch; m.trusted {
		m.Sweep() // nothing is counted
	}
	return m.readShape()
}

// readShape finds what decides the cells of entries. Only an archive of DomainCustom may
// declare some of its own.
func (m *Mapping) readShape() (err error) {
	m.shape = disk.ShapeOf(&m.header.Params)
	if m.header.Domain == layout.DomainCustom {
		err = m.Guard(func() (err error) {
			m.shape.Declared, err = disk.ReadDeclared(m.header, m.Bytes)
			return err
		})
	}
	return err
}

// A Mode is where the bytes of an open archive lie.
type Mode int

// The modes.
const (
	ModeMap  Mode = iota // mapped from the file, where the system can: each page is read when it is touched
	ModeHeap             // read into ordinary memory, which the race detector sees
)

// A Check is when pages are checked against their sums.
type Check int

// The choices.
const (
	CheckOnTouch Check = iota // each page at its first touch
	CheckAll                  // all pages on opening, which reads the whole file
	CheckNone                 // never: only bounds are checked
)

// Options say how to open an archive. The zero value maps the file and checks each page at its first touch.
type Options struct {
	Mode   Mode
	Check  Check
	Expect Expect
	// OnReject, if not nil, is called with the error if the archive cannot be opened, so
	// that a VM can log it and go on without a profile.
	OnReject func(error)
}

// reject passes an error to OnReject and returns it.
func (o *Options) reject(err error) error {
	if o.OnReject != nil {
		o.OnReject(err)
	}
	return err
}

// Expect is what an archive must be of to be used. Zero fields are not compared. A
// mismatch is an error that matches [layout.ErrIdentity].
type Expect struct {
	Domain      layout.Domain
	ProducerID  [16]byte       // of DomainCustom: what profile points, keys and shapes mean
	Producer    string         // compared in full, as "numbat 1.4.2"
	Fingerprint [16]byte       // of its VM and class path, see docs/format.md
	Params      *layout.Params // compared in those settings that shape entries
	// Program is the program that will use the archive, and Match how closely it must
	// be the one that was recorded.
	Program *Program
	Match   Match
}

// A Program is a build of a VM with a class path.
type Program struct {
	VM string // build, in full, as a layout.Provenance has it
	// ClassPath is the content of the class path; see SumContent. Paths do not matter.
	ClassPath []layout.ClassPathEntry
}

// A Match is how closely a program must be the one that was recorded.
type Match int

// The matches.
const (
	// MatchStrict: the same build of the VM and the same content of the class path.
	MatchStrict Match = iota
	// MatchPrefix: the same build, and a class path that is the recorded one or begins
	// with it, as for CDS archives: appended entries change no recorded class.
	MatchPrefix
	// MatchMethods: any program. Profiles must then be looked up with the id of the
	// method's code, not with layout.CodeAny, so that only those that fit are found.
	MatchMethods
)

// matches reports whether a program with that fingerprint was recorded.
func (p *Program) matches(recorded [16]byte, match Match) bool {
	switch {
	case match == MatchMethods:
		return true
	case recorded == [16]byte{}:
		return false
	case match == MatchStrict:
		return recorded == disk.Fingerprint(p.VM, p.ClassPath)
	}
	for f := range disk.Fingerprints(p.VM, p.ClassPath) {
		if f == recorded {
			return true
		}
	}
	return false
}

// check compares the header of an archive with the caller's expectations.
func (e *Expect) check(h *layout.Header) error {
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
	if e.Program != nil && !e.Program.matches(h.Fingerprint, e.Match) {
		if h.Fingerprint == [16]byte{} {
			return mismatch("it does not say which program it was recorded with: record it again, or match by methods")
		}
		return mismatch("it was recorded with another build of the VM or another class path (%x): record it again with "+
			"this program, or match by methods", h.Fingerprint)
	}
	if e.Params == nil {
		return nil
	}
	return checkShaping(&h.Params, e.Params)
}

// checkShaping compares the settings that shape entries.
func checkShaping(has, want *layout.Params) error {
	for _, s := range []struct {
		name      string
		has, want uint32
	}{
		{"TypeProfileWidth", has.TypeProfileWidth, want.TypeProfileWidth},
		{"BciProfileWidth", has.BciProfileWidth, want.BciProfileWidth},
		{"cells between a receiver entry's count and its rows", has.ReceiverGap, want.ReceiverGap},
	} {
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
