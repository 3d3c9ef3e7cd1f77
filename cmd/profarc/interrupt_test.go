package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

// largeArchive writes an archive that commands take a while for.
func largeArchive(t *testing.T, path string, id byte) {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{DumpID: [16]byte{id}})
	for i := range 20_000 {
		p := b.Profile(layout.Key{Class: "app/C" + strconv.Itoa(i/9), Name: "m" + strconv.Itoa(i%9),
			Signature: "()V"}, uint64(id))
		p.Invocations(uint64(i))
		p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: uint64(i), Displacement: 16, NotTaken: 7})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Commit(t.Context(), path); err != nil {
		t.Fatal(err)
	}
}

// TestAnInterruptEndsEveryCommand interrupts every command that goes through archives, at many points: it is
// done, or it ends as interrupted, and its output file is not there.
func TestAnInterruptEndsEveryCommand(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Chdir(t.TempDir())
	largeArchive(t, "one.parc", 1)
	largeArchive(t, "two.parc", 2)
	for _, args := range [][]string{
		{"verify", "one.parc"}, {"show", "one.parc"}, {"show", "--json", "one.parc"}, {"top", "one.parc"},
		{"info", "--summary", "one.parc"}, {"diff", "one.parc", "two.parc"},
		{"show", "--lookup", "one.parc", "app.Nothing::atAll"},
		{"merge", "one.parc", "two.parc", "-o", "out.parc"}, {"reduce", "--hot", "90%", "one.parc", "-o", "out.parc"},
		{"check", "one.parc", "--against", "two.parc"},
		{"check", "one.parc", "--against", "two.parc", "--rewrite", "out.parc"},
		{"export", "-t", "text", "one.parc", "-o", "out.parc"}, {"export", "-t", "methoddata", "one.parc", "-o", "out.parc"},
		{"web", "one.parc", "-o", "out.parc"},
	} {
		interrupted := 0
		for delay := 50 * time.Microsecond; delay < 100*time.Millisecond; delay *= 2 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(delay, cancel)
			err := runInProcess(ctx, args)
			if errors.Is(err, context.Canceled) {
				interrupted++
				if _, err := os.Stat("out.parc"); err == nil {
					t.Errorf("%q was interrupted, and wrote its output", args)
				}
			} else if err != nil && args[1] != "--lookup" {
				t.Errorf("%q: %v", args, err)
			}
			os.Remove("out.parc")
		}
		if left, err := filepath.Glob("*out*"); err != nil || len(left) > 0 {
			t.Errorf("%q leaves %q, %v", args, left, err)
		}
		if interrupted == 0 {
			t.Errorf("%q was never interrupted", args)
		}
	}
}

// TestAnInterruptEndsWeb interrupts web while it serves: it is done, with the exit code of that.
func TestAnInterruptEndsWeb(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Chdir(t.TempDir())
	largeArchive(t, "one.parc", 1)
	largeArchive(t, "two.parc", 2)
	out, printed := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	code := make(chan int)
	go func() {
		a := &cli.App{In: bytes.NewReader(nil), Out: bufio.NewWriter(printed), ErrOut: io.Discard,
			Streams: cli.Streams{PlainOut: escape.NewWriter(printed), PlainErr: escape.NewWriter(io.Discard)}}
		code <- runRoot(ctx, a, []string{"web", "one.parc", "two.parc"})
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if page := pageOf(t, strings.TrimSpace(address)); !bytes.Contains(page, []byte("one.parc and two.parc")) {
		t.Errorf("another page: %s", page)
	}
	cancel()
	select {
	case got := <-code:
		if got != cli.ExitOK {
			t.Errorf("exit code %d", got)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("web does not end")
	}
}

// pageOf fetches a page. On a busy machine the server asks for a moment first.
func pageOf(t *testing.T, address string) []byte {
	t.Helper()
	for ; ; time.Sleep(100 * time.Millisecond) {
		answer, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		switch {
		case err == nil && answer.StatusCode == http.StatusAccepted:
		case err != nil || answer.StatusCode != http.StatusOK:
			t.Fatalf("status %d, %v", answer.StatusCode, err)
		default:
			return page
		}
	}
}

// runInProcess runs a command and returns its error.
func runInProcess(ctx context.Context, args []string) error {
	var errOut bytes.Buffer
	a := &cli.App{In: bytes.NewReader(nil), Out: bufio.NewWriter(io.Discard), ErrOut: &errOut}
	root := newRootCommand(a)
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// runRoot runs the command that args name, and returns the exit code.
func runRoot(ctx context.Context, a *cli.App, args []string) int {
	return a.Execute(ctx, newRootCommand(a), args)
}
