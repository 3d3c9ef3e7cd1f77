package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/profarc/profarc/archive"
)

// printJSON prints v, indented.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// publish creates or replaces the file at path with what write writes, in one
// step: a failure or an interrupt leaves what was there. What is no file is
// written to.
func publish(ctx context.Context, path string, write func(w io.Writer) error) error {
	if isStream(path) {
		return writeStream(ctx, path, write)
	}
	return archive.Publish(ctx, path, func(f *archive.File) error {
		w := bufio.NewWriterSize(io.NewOffsetWriter(f, 0), 1<<20)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// publishPrivate is publish for what only the owner of the file may read.
func publishPrivate(ctx context.Context, path string, write func(w io.Writer) error) error {
	if isStream(path) {
		return writeStream(ctx, path, write)
	}
	return archive.Publish(ctx, path, func(f *archive.File) error {
		if err := f.Private(); err != nil {
			return err
		}
		return buffered(io.NewOffsetWriter(f, 0), write)
	})
}

// interruptible is a writer that fails once ctx has ended.
type interruptible struct {
	ctx context.Context
	w   io.Writer
}

func (i interruptible) Write(b []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.w.Write(b)
}

// checkArchiveName refuses an output that is no archive's name, or the input's.
func checkArchiveName(out, in string) error {
	switch {
	case out == "":
		return usagef("name the archive to write: -o NAME%s", archiveExtension)
	case filepath.Ext(out) != archiveExtension:
		return usagef("-o %s: the names of archives end in %s", out, archiveExtension)
	}
	return checkOutput(out, in)
}

// checkOutput refuses an output that is the input.
func checkOutput(out, in string) error {
	o, err1 := os.Stat(out)
	i, err2 := os.Stat(in)
	if err1 == nil && err2 == nil && os.SameFile(o, i) {
		return usagef("-o %s is the input: name another file", out)
	}
	return nil
}
