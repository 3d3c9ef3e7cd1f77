package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// WithStore opens an archive, calls f with it, and closes it. If the file is cut short while f reads it,
// WithStore returns an error; the process does not crash.
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

// CloseOnInterrupt closes an archive once ctx is done, unless release was called before. Whatever a command
// does with the archive, its next read then fails, and so an interrupt ends it.
func CloseOnInterrupt(ctx context.Context, s *reader.Store) (release func() bool) {
	return context.AfterFunc(ctx, func() { _ = s.Close() })
}

// OpenStore opens an archive. The error for a file that import can read names its format.
func (a *App) OpenStore(path string) (*reader.Store, error) {
	s, err := reader.Open(path, archive.Options{Drafts: a.Drafts})
	if errors.Is(err, layout.ErrFormat) && isRegular(path) && isZstandard(path) {
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

// isZstandard reports whether a file begins as what zstd compressed, as oras pull gets archives from a registry.
func isZstandard(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && magic == [4]byte{0x28, 0xb5, 0x2f, 0xfd}
}

// isRegular reports whether a file may be looked into. A pipe would wait for its writer.
func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// AllProfiles returns every profile of an archive, all of them checked.
func AllProfiles(s *reader.Store) ([]reader.Profile, error) {
	var all []reader.Profile
	for p, err := range s.Profiles() {
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	if uint64(len(all)) != s.Header().Counts.Profiles {
		return nil, fmt.Errorf("%s: %d profiles, its header says %d: run profarc verify on it", s.Mapping().Name(), len(all),
			s.Header().Counts.Profiles)
	}
	return all, nil
}
