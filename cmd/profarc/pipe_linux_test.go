package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
)

// endsSoon runs a command that must not wait, and returns its error.
func endsSoon(t *testing.T, ctx context.Context, args []string) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- runInProcess(ctx, args) }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("%q does not end", args)
		return nil
	}
}

// TestPipesAreRefused names a pipe without a writer where each command wants a file. Opening it
// would wait for good.
func TestPipesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	largeArchive(t, "one.parc", 1)
	if err := unix.Mkfifo("pipe", 0o600); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"verify", "pipe"}, {"info", "pipe"}, {"info", "--summary", "pipe"}, {"show", "pipe"}, {"top", "pipe"},
		{"show", "--lookup", "pipe", "a.b::c"},
		{"diff", "pipe", "one.parc"}, {"diff", "one.parc", "pipe"}, {"merge", "pipe", "one.parc", "-o", "out.parc"},
		{"merge", "one.parc", "pipe", "-o", "out.parc"}, {"web", "pipe"}, {"web", "one.parc", "pipe"},
		{"web", "pipe", "-o", "pages"}, {"run", "--archive", "pipe", "--strict", "--", "java"},
		{"check", "pipe", "--against", "one.parc"},
		{"check", "one.parc", "--against", "pipe"}, {"reduce", "--hot", "50%", "pipe", "-o", "out.parc"},
		{"export", "-t", "text", "pipe"},
		{"gate", "pipe"}, {"gate", "one.parc", "--against", "pipe"},
		{"show", "--class-path", "pipe", "one.parc"},
		{"show", "--class-path", ".", "--source-path", "pipe", "one.parc"},
	} {
		if err := endsSoon(t, t.Context(), args); err == nil || !strings.Contains(err.Error(), "a device or a pipe") {
			t.Errorf("%q, of a pipe: %v", args, err)
		}
		if _, err := os.Stat("out.parc"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%q has written its output: %v", args, err)
		}
	}
}

// TestClosedOutputIsAFailure closes the pipe that commands print to. A verdict that nobody sees is no success.
func TestClosedOutputIsAFailure(t *testing.T) {
	t.Chdir(t.TempDir())
	largeArchive(t, "one.parc", 1)
	for _, args := range [][]string{
		{"info", "one.parc"}, {"show", "one.parc"}, {"top", "one.parc"}, {"diff", "one.parc", "one.parc"},
		{"verify", "one.parc"}, {"check", "one.parc", "--against", "one.parc"}, {"gate", "one.parc"},
		{"gate", "one.parc", "--max-age", "1ns"}, {"export", "-t", "text", "one.parc"}, {"info", "--json", "one.parc"},
		{"--version"}, {"--help"}, {"completion", "bash"}, {"help", "gate"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		var errOut bytes.Buffer
		a := app.New(os.Stdin, cli.Streams{PlainOut: escape.NewWriter(w), RawOut: w, PlainErr: escape.NewWriter(&errOut),
			RawErr: &errOut})
		if code := a.Main(newRootCommand(a), args); code == cli.ExitOK {
			t.Errorf("%q, with a closed output: exit code %d, %s", args, code, errOut.String())
		}
		_ = w.Close()
	}
}

// TestImportWaitsForAPipe: import reads a pipe once somebody writes to it, and ends before that if
// it is interrupted.
func TestImportWaitsForAPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := unix.Mkfifo("pipe", 0o600); err != nil {
		t.Skip(err)
	}
	args := []string{"import", "pipe", "-o", "out.parc"}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := endsSoon(t, ctx, args); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("interrupted while it waits: %v", err)
	}
	go func() {
		time.Sleep(50 * time.Millisecond)
		_ = os.WriteFile("pipe", []byte("main;f 3\nmain;g 4\n"), 0)
	}()
	if err := endsSoon(t, t.Context(), args); err != nil {
		t.Errorf("a pipe whose writer comes later: %v", err)
	}
	if _, err := os.Stat("out.parc"); err != nil {
		t.Error(err)
	}
}
