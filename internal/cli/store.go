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

// WithStore opens an archive, calls f and closes the archive. If another process truncates the file during the call,
// WithStore returns an error and the process does not crash.
func (a *App) WithStore(ctx context.Context, path string, f func(s *reader.Store) error) error {
	s, err := a.OpenStore(path)
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

// OpenStore opens an archive. If the file is compressed or import can read it, the error advises what to do.
func (a *App) OpenStore(path string) (*reader.Store, error) {
	s, err := reader.Open(path, archive.Options{Drafts: a.Drafts})
	if errors.Is(err, layout.ErrFormat) && isZstandard(path) {
		return nil, &layout.Error{File: path, Offset: -1, Kind: layout.ErrFormat,
			Detail: "it is compressed", Advice: "decompress it with zstd -d, or fetch archives of registries with profarc pull"}
	}
	if errors.Is(err, layout.ErrFormat) && a.Recognise != nil && isRegular(path) {
		if format, ok := a.Recognise(path); ok {
			return nil, &layout.Error{File: path, Offset: -1, Kind: layout.ErrFormat,
				Detail: "it is " + format, Advice: "make an archive of it with profarc import " + path + " -o NAME" +
					ArchiveExtension}
		}
	}
	return s, err
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
