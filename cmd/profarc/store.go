package main

import (
	"context"
	"errors"
	"os"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// withStore opens an archive, lets f work on it, and closes it. What f reads of
// a file that somebody else cuts short is an error, not a fault.
func withStore(ctx context.Context, path string, f func(s *reader.Store) error) error {
	s, err := openStore(path)
	if err != nil {
		return err
	}
	defer closeOnInterrupt(ctx, s)()
	err = errors.Join(s.Mapping().Guard(func() error { return f(s) }), s.Close())
	if errors.Is(err, archive.ErrClosed) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// closeOnInterrupt closes an archive when ctx ends, until release is called:
// whatever a command does with the archive, the next record that it asks for is
// refused, and so an interrupt ends it.
func closeOnInterrupt(ctx context.Context, s *reader.Store) (release func() bool) {
	return context.AfterFunc(ctx, func() { _ = s.Close() })
}

// openStore opens an archive. Of a file that import can read it says so.
func openStore(path string) (*reader.Store, error) {
	s, err := reader.Open(path, archive.Options{})
	if errors.Is(err, layout.ErrFormat) {
		if format, ok := importable(path); ok {
			return nil, &layout.Error{File: path, Offset: -1, Kind: layout.ErrFormat,
				Detail: "it is " + format + ": make an archive of it with profarc import " + path + " -o NAME" + archiveExtension}
		}
	}
	return s, err
}

// importable gives the format of a file, if it is one of those that import
// reads.
func importable(path string) (format string, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	file, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer file.Close()
	in, err := newInput(path, file, 0)
	if err != nil {
		return "", false
	}
	defer in.Close()
	f, err := in.format()
	if err != nil {
		return "", false
	}
	return f.name, true
}
