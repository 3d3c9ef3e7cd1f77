package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/profarc/profarc/internal/file/publish"
	"github.com/profarc/profarc/internal/names/escape"
)

// PrintJSON prints v as indented JSON.
func (a *App) PrintJSON(v any) error { return WriteJSON(a.Out, v) }

// WriteJSON writes v as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Publish creates or replaces the file at path with what write writes, in one step: after a failure or an
// interrupt the old file is still there. A pipe or device is written to directly.
func Publish(ctx context.Context, path string, write func(w io.Writer) error) error {
	if IsStream(path) {
		return writeStream(ctx, path, write)
	}
	return publish.At(ctx, path, func(f *publish.File) error {
		w := bufio.NewWriterSize(io.NewOffsetWriter(f, 0), 1<<20)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// PublishPrivate is like Publish for a file that only its owner may read.
func PublishPrivate(ctx context.Context, path string, write func(w io.Writer) error) error {
	if IsStream(path) {
		return writeStream(ctx, path, write)
	}
	return publish.At(ctx, path, func(f *publish.File) error {
		if err := f.Private(); err != nil {
			return err
		}
		return buffered(io.NewOffsetWriter(f, 0), write)
	})
}

// interruptible is a writer that fails once ctx is done.
type interruptible struct {
	ctx context.Context
	w   io.Writer
}

// ContextWriter returns a writer that fails once ctx is done.
func ContextWriter(ctx context.Context, w io.Writer) io.Writer { return interruptible{ctx, w} }

func (i interruptible) Write(b []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.w.Write(b)
}

// CheckArchiveName returns an error if out is not the name of an archive, or is the input.
func CheckArchiveName(out, in string) error {
	switch {
	case out == "":
		return Usagef("name the archive to write: -o NAME%s", ArchiveExtension)
	case filepath.Ext(out) != ArchiveExtension:
		return Usagef("-o %s: the names of archives end in %s", out, ArchiveExtension)
	}
	return CheckOutput(out, in)
}

// CheckOutput returns an error if out is the input.
func CheckOutput(out, in string) error {
	o, err1 := os.Stat(out)
	i, err2 := os.Stat(in)
	if err1 == nil && err2 == nil && os.SameFile(o, i) {
		return Usagef("-o %s is the input: name another file", out)
	}
	return nil
}

// A stream is an output that is not a file: a pipe, a device such as /dev/null, or the target of /dev/stdout
// or /dev/fd/3. It is written directly, since no finished file can be renamed to it.

// IsStream reports whether path leads to a pipe or device.
func IsStream(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// writeStream writes to the stream at path.
func writeStream(ctx context.Context, path string, write func(w io.Writer) error) error {
	f, err := openStream(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // a full pipe may block
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

// isTerminal reports whether f is a terminal. It does not make f blocking, as
// f.Fd would, so that a write can still be ended.
func isTerminal(f *os.File) (is bool) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { is = term.IsTerminal(int(fd)) })
	}
	return is
}

// openStream opens the stream at path. For a pipe it waits until there is a reader, or ctx is done.
func openStream(ctx context.Context, path string) (*os.File, error) {
	if err := publish.CheckStream(path); err != nil {
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
