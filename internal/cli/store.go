package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/profarc/profarc/archive"
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
