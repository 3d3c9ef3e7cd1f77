package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// WithStore opens an archive or another profile, calls f and closes it. If another process truncates the file during
// the call, WithStore returns an error and the process does not crash.
func (a *App) WithStore(ctx context.Context, path string, f func(s *reader.Store) error) error {
	s, err := a.OpenStore(ctx, path)
	return a.closeAfter(ctx, s, err, f)
}

// WithArchive is like WithStore for a command that needs the file of an archive.
func (a *App) WithArchive(ctx context.Context, path string, f func(s *reader.Store) error) error {
	s, err := a.OpenArchive(path)
	return a.closeAfter(ctx, s, err, f)
}

func (a *App) closeAfter(ctx context.Context, s *reader.Store, err error, f func(s *reader.Store) error) error {
	if err != nil {
		return err
	}
	defer CloseOnInterrupt(ctx, s)()
	err = errors.Join(s.Mapping().Guard(func() error { return f(s) }), s.Close())
	if errors.Is(err, archive.ErrClosed) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// CloseOnInterrupt closes s when ctx is done, unless release was called before. The next read from s then fails, so
// that an interrupt ends the command.
func CloseOnInterrupt(ctx context.Context, s *reader.Store) (release func() bool) {
	return context.AfterFunc(ctx, func() { _ = s.Close() })
}

// OpenStore opens an archive. It imports another file, or - for the standard input, into memory.
func (a *App) OpenStore(ctx context.Context, path string) (*reader.Store, error) {
	if a.Import == nil {
		return a.OpenArchive(path)
	}
	if path == "-" {
		return a.Import(ctx, a, path, nil)
	}
	s, err := reader.Open(path, archive.Options{})
	if errors.Is(err, layout.ErrFormat) && isRegular(path) {
		return a.Import(ctx, a, path, err)
	}
	return s, err
}

// OpenArchive opens an archive. If the file is compressed or import can read it, the error advises what to do.
func (a *App) OpenArchive(path string) (*reader.Store, error) {
	s, err := reader.Open(path, archive.Options{Drafts: a.Drafts})
	if !errors.Is(err, layout.ErrFormat) || !isRegular(path) {
		return s, err
	}
	if a.Recognise != nil {
		if format, ok := a.Recognise(path); ok {
			return nil, &layout.Error{File: path, Offset: -1, Kind: layout.ErrFormat, Detail: "it is " + format,
				Advice: "make an archive of it with " + ImportCommand(path) + ", and name that"}
		}
	}
	if isZstandard(path) {
		return nil, &layout.Error{File: path, Offset: -1, Kind: layout.ErrFormat, Detail: "it is compressed",
			Advice: "decompress it with zstd -d, or fetch archives of registries with profarc pull"}
	}
	return nil, err
}

// isZstandard reports whether a file has the magic number of zstd. oras pull writes such files.
func isZstandard(path string) bool {
	f, err := OpenFile(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && magic == [4]byte{0x28, 0xb5, 0x2f, 0xfd}
}

// isRegular reports whether path is a regular file. Opening a pipe would block.
func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Commands read the files that arguments name with OpenFile or ReadSmallFile. Then no argument makes a command wait
// forever, ignore an interrupt or fill the memory. TestCommandsOpenFilesByOneDoor checks this.

// SmallFile is the usual limit of ReadSmallFile, for keys, reports and settings.
const SmallFile = 1 << 20

// OpenFile opens an ordinary file of any size. It never waits: a folder, device or pipe is an error.
func OpenFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|mapped.NonBlocking, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = errFolder(path)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s: it is a device or a pipe: name an ordinary file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadSmallFile returns the content of a file or pipe. More than limit bytes are an error, as is a folder or device.
// For a pipe, it waits until the writer closes it or ctx is done.
func ReadSmallFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errFolder(path)
	case info.Mode()&fs.ModeDevice != 0:
		return nil, fmt.Errorf("%s: it is a device: name a file or a pipe", path)
	}
	f, err := mapped.OpenWaiting(ctx, path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // an empty pipe can block
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("%s: it has more than %d bytes, the limit of such a file: name another one", path, limit)
	}
	return data, nil
}

func errFolder(path string) error { return fmt.Errorf("%s: it is a folder: name a file in it", path) }
