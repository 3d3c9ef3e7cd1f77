package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// A limitedCommand is a command that writes out/a.parc. Each run is checked.
type limitedCommand struct {
	args      []string
	old, new  []byte
	ok        int // runs
	failed    int
	abandoned int // runs that left a temporary file
}

// run runs the command with a limit of writable memory in MiB (RLIMIT_DATA), and reports whether it succeeded. The
// archive is the old one or the new one, whole.
func (c *limitedCommand) run(t *testing.T, limit int) bool {
	t.Helper()
	if err := os.WriteFile("out/a.parc", c.old, 0o600); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`ulimit -d %d && exec profarc "$@"`, limit<<10)
	said, failed := exec.Command("sh", append([]string{"-c", script, "sh"}, c.args...)...).CombinedOutput()
	got, err := os.ReadFile("out/a.parc")
	if err != nil || !bytes.Equal(got, c.new) && (failed == nil || !bytes.Equal(got, c.old)) {
		t.Errorf("%s in %d MiB: %d bytes, %v, %v: %.200s", c.args[0], limit, len(got), err, failed, said)
	}
	left, err := filepath.Glob("out/.profarc-*")
	if err != nil || len(left) > 1 {
		t.Errorf("%s in %d MiB: %q are left, %v", c.args[0], limit, left, err)
	}
	c.abandoned += len(left)
	if failed != nil {
		c.failed++
	} else {
		c.ok++
	}
	return failed == nil
}

// TestMemoryLimitsLeaveAWholeFile runs commands with less memory than they need: with limits that come nearer to the
// least that is enough, and with seven just below it. They succeed, fail or crash in Go's runtime. The archive is the
// old one or the new one, whole, and what a crash leaves beside it the next run removes.
func TestMemoryLimitsLeaveAWholeFile(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	t.Chdir(t.TempDir())
	largeArchive(t, "one.parc", 1)
	largeArchive(t, "two.parc", 2)
	if err := runInProcess(t.Context(), []string{"export", "-t", "text", "one.parc", "-o", "one.txt"}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"merge", "one.parc", "two.parc", "-o", "out/a.parc"},
		{"import", "one.txt", "-o", "out/a.parc"}} {
		c := newLimitedCommand(t, args)
		little, enough := 32, 4096
		if !c.run(t, enough) {
			t.Fatalf("%s fails in %d MiB", args[0], enough)
		}
		for enough-little > 4 {
			if middle := (little + enough) / 2; c.run(t, middle) {
				enough = middle
			} else {
				little = middle
			}
		}
		for k := range 7 {
			c.run(t, enough-3*k)
		}
		t.Logf("%s needs %d MiB: %d runs succeeded, %d failed, %d of them left a temporary file", args[0], enough, c.ok,
			c.failed, c.abandoned)
		if c.failed < 5 {
			t.Errorf("%s failed %d times", args[0], c.failed)
		}
		c.run(t, 4096)
		if entries, err := os.ReadDir("out"); err != nil || len(entries) != 1 {
			t.Errorf("%s: %v are left, %v", args[0], entries, err)
		}
	}
}

// newLimitedCommand makes the directory out, with nothing in it, and runs the command without a limit.
func newLimitedCommand(t *testing.T, args []string) *limitedCommand {
	t.Helper()
	if err := os.RemoveAll("out"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("out", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := runInProcess(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("out/a.parc")
	if err != nil {
		t.Fatal(err)
	}
	return &limitedCommand{args: args, old: []byte("the file before"), new: data}
}
