package main

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/escape"
)

// A stream is what a user may name as an output beside files: a pipe, a device as
// /dev/null, or what /dev/stdout and /dev/fd/3 lead to. It is written as it is:
// nothing can take its place.

// isStream reports whether a path leads to a stream.
func isStream(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// writeStream writes to the stream that a path leads to.
func writeStream(ctx context.Context, path string, write func(w io.Writer) error) error {
	f, err := openStream(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // a pipe may be full for long
	if isTerminal(f) {
		plain := escape.NewWriter(f)
		return cmp.Or(buffered(plain, write), plain.Close())
	}
	err = buffered(f, write)
	return cmp.Or(ctx.Err(), err, f.Close())
}

func buffered(w io.Writer, write func(w io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	return cmp.Or(write(b), b.Flush())
}

// isTerminal leaves the file as it is, so that a write to it can be ended.
func isTerminal(f *os.File) (is bool) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { is = term.IsTerminal(int(fd)) })
	}
	return is
}

// openStream opens what is at a path, for a pipe when somebody reads it.
func openStream(ctx context.Context, path string) (*os.File, error) {
	if err := archive.CheckStream(path); err != nil {
		return nil, err
	}
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		done <- opened{f, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case o := <-done:
		return o.file, o.err
	}
}
