package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/file/publish"
	"github.com/profarc/profarc/internal/names/escape"
)

func (a *App) PrintJSON(v any) error { return WriteJSON(a.Out, v) }

// AddJSONFlag adds --json, which means the same in every command.
func (a *App) AddJSONFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print JSON instead of text")
}

// Print prints a report: v with --json, else what printText prints.
func (a *App) Print(v any, printText func()) error {
	if a.JSON {
		return a.PrintJSON(v)
	}
	printText()
	return nil
}

func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Publish creates or atomically replaces the file at path. After a failure or an interrupt the old file is still
// there. Publish writes directly to a pipe or device.
func Publish(ctx context.Context, path string, write func(w io.Writer) error) error {
	return publishFile(ctx, path, write, func(*publish.File) error { return nil })
}

// PublishPrivate is like Publish, but only the owner can read the file.
func PublishPrivate(ctx context.Context, path string, write func(w io.Writer) error) error {
	return publishFile(ctx, path, write, (*publish.File).Private)
}

// publishFile calls prepare before write, unless path is a pipe or device.
func publishFile(
	ctx context.Context,
	path string,
	write func(io.Writer) error,
	prepare func(*publish.File) error,
) error {
	if IsStream(path) {
		return writeStream(ctx, path, write)
	}
	return publish.At(ctx, path, func(f *publish.File) error {
		if err := prepare(f); err != nil {
			return err
		}
		return writeBuffered(io.NewOffsetWriter(f, 0), write)
	})
}

type interruptible struct {
	ctx context.Context
	w   io.Writer
}

func ContextWriter(ctx context.Context, w io.Writer) io.Writer { return interruptible{ctx, w} }

func (i interruptible) Write(b []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.w.Write(b)
}

func CheckArchiveName(out, in string) error {
	switch {
	case out == "":
		return Usagef("name the archive to write: -o NAME%s", ArchiveExtension)
	case filepath.Ext(out) != ArchiveExtension:
		return Usagef("-o %s: the names of archives end in %s", out, ArchiveExtension)
	}
	return CheckOutput(out, in)
}

func CheckOutput(out, in string) error {
	o, err1 := os.Stat(out)
	i, err2 := os.Stat(in)
	if err1 == nil && err2 == nil && os.SameFile(o, i) {
		return Usagef("-o %s is the input: name another file", out)
	}
	return nil
}

// IsStream reports whether path is a pipe or device, or a link to one, such as /dev/stdout. A file cannot be renamed
// to it.
func IsStream(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

func writeStream(ctx context.Context, path string, write func(w io.Writer) error) error {
	f, err := openStream(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // a full pipe can block
	if isTerminal(f) {
		plain := escape.NewWriter(f)
		return cmp.Or(writeBuffered(plain, write), plain.Close())
	}
	err = writeBuffered(f, write)
	return cmp.Or(ctx.Err(), err, f.Close())
}

func writeBuffered(w io.Writer, write func(w io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	return cmp.Or(write(b), b.Flush())
}

// isTerminal reports whether f is a terminal. It avoids f.Fd, which would make f blocking, so that Close can still
// interrupt a write.
func isTerminal(f *os.File) (is bool) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { is = term.IsTerminal(int(fd)) })
	}
	return is
}

// openStream opens a pipe or device. For a pipe it waits until there is a reader or ctx is done.
func openStream(ctx context.Context, path string) (*os.File, error) {
	if err := publish.CheckStream(path); err != nil {
		return nil, err
	}
	return mapped.OpenWaiting(ctx, path, os.O_WRONLY)
}

const progressAfter = 500 * time.Millisecond

type Meter struct {
	a     *App
	label string
	begun time.Time
	steps bool // the counts are steps, not bytes

	mu    sync.Mutex // other goroutines can call Report after Done
	bar   *progressbar.ProgressBar
	ended bool
}

func (a *App) Meter(label string) *Meter {
	return &Meter{a: a, label: escape.Printable(label), begun: time.Now()}
}

func (a *App) StepMeter(label string) *Meter {
	m := a.Meter(label)
	m.steps = true
	return m
}

func (m *Meter) Report(done, total int64) {
	if !m.a.Streams.ErrTerminal || time.Since(m.begun) < progressAfter {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return
	}
	if m.bar == nil {
		m.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(m.a.Streams.RawErr),
			progressbar.OptionSetDescription(m.label), progressbar.OptionShowBytes(!m.steps), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	_ = m.bar.Set64(done)
}

func (m *Meter) Done() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	if m.bar != nil {
		_ = m.bar.Finish()
	}
}
