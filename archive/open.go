package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/mmap"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
)

// Open opens the archive at path. Errors that say something about the file are
// *layout.Error and match ErrFormat, ErrVersion, ErrTruncated, ErrChecksum,
// ErrCorrupt or ErrIdentity of package layout; others come from package os.
func Open(path string, o Options) (*Mapping, error) {
	m, view, err := load(path, o.Mode)
	if err == nil {
		err = m.admit(o)
	}
	if err != nil {
		// Nobody has seen the memory yet: it need not wait for a cleanup.
		err = errors.Join(disk.InFile(err, path), discard(m, view))
		return nil, o.reject(err)
	}
	if view != nil {
		runtime.AddCleanup(m, func(v *mmap.View) { v.Unmap() }, view)
	}
	return m, nil
}

// FromBytes opens an archive that lies in memory; name stands for the path in
// errors. The bytes are copied if they are not aligned to 8, must not change
// while the Mapping is in use, and o.Mode is ignored.
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

// load gets hold of the bytes of a file and looks at none of them. view is nil
// if they are on the heap.
func load(path string, mode Mode) (m *Mapping, view *mmap.View, err error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, nil, err
	}
	m = &Mapping{name: path}
	if mode == ModeHeap || size == 0 {
		m.data, err = readWhole(f, size)
		return m, nil, errors.Join(err, f.Close())
	}
	m.file = f
	// What is longer than any archive is refused by its header.
	if view, err = mmap.NewView(f, min(size, disk.MaxFileSize)); err != nil {
		return m, nil, fmt.Errorf("%s: %w", path, err)
	}
	m.data = view.Bytes()
	return m, view, nil
}

// discard takes back what load gave.
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

// openRegular opens an ordinary file. Everything else is refused before it is
// opened, since opening a pipe would wait for a writer.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, 0, err
	}
	f, err := os.Open(path)
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

// regular refuses what is not an ordinary file.
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

// headerReach is as much of a file as the header of any version may take.
const headerReach = 1 << 16

// readWhole reads a file of size bytes, if its header says that it is one to
// read: otherwise no memory is spent on it.
func readWhole(f *os.File, size int64) ([]byte, error) {
	head := make([]byte, min(size, headerReach))
	if err := readFull(f, head, 0); err != nil {
		return nil, err
	}
	if _, err := disk.ParseHeader(head, size); err != nil {
		return nil, err
	}
	if int64(int(size)) != size {
		return nil, &layout.Error{Offset: -1, Kind: layout.ErrTooLarge, Detail: fmt.Sprintf("%d bytes do not fit into the address space", size)}
	}
	data := words.Aligned(int(size))
	copy(data, head)
	return data, readFull(f, data[len(head):], int64(len(head)))
}

// readFull fills b from the file's current position, which is at.
func readFull(f *os.File, b []byte, at int64) error {
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &layout.Error{Offset: at + int64(n), Kind: layout.ErrTruncated, Detail: "the file became shorter while it was read", Advice: "open it again"}
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
	m.checked = m.sums.checked
	if o.Check == CheckAll {
		if err := m.Verify(context.Background(), nil); err != nil {
			return err
		}
	}
	m.trusted = o.Check != CheckOnTouch
	return nil
}
