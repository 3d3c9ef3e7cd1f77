package c_test

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// TestOptions runs options.c on an archive and one in which the last count of the last
// profile is wrong: what a reader that compares no sums can't notice.
func TestOptions(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/options.c")
	sound := archiveOf(t, specimen.All()[0])
	h := openBytes(t, sound).Header()
	if h.Domain != layout.DomainHotSpot {
		t.Fatalf("the first specimen is of the domain %s", h.Domain)
	}
	damaged := bytes.Clone(sound)
	damaged[lastCount(t, sound)] ^= 1
	if out, stderr, status := runProgram(t, program, writeArchive(t, sound), writeArchive(t, damaged)); status != 0 {
		t.Errorf("exit status %d: %s%s", status, out, stderr)
	}
}

// lastCount returns where the last counter that is an invocation count is.
func lastCount(t *testing.T, data []byte) (at int64) {
	t.Helper()
	for p, err := range openBytes(t, data).Profiles() {
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := p.Invocations(); ok && n.Load() != 0 {
			at = p.Ref().Offset() + int64(bytes.Index(p.Bytes(), countBytes(n.Load())))
		}
	}
	if at == 0 {
		t.Fatal("no profile has an invocation count")
	}
	return at
}

func countBytes(n uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
	return b
}

// TestPipeIsRefused: pa_open does not wait for the writer of a pipe.
func TestPipeIsRefused(t *testing.T) {
	t.Parallel()
	program := plain(t).client(t, "tests/dump.c")
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, pipe).CombinedOutput()
	if ctx.Err() != nil || err == nil || !strings.Contains(string(out), "no file") {
		t.Errorf("%v, %v: %s", ctx.Err(), err, out)
	}
}
