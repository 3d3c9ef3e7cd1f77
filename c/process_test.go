package c_test

import (
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// dumps runs a process that dumps twice, after 3 and 5 calls, and returns its number.
func dumps(t *testing.T, program string) (first, second *reader.Store, pid int) {
	t.Helper()
	paths := []string{filepath.Join(t.TempDir(), "first.parc"), filepath.Join(t.TempDir(), "second.parc")}
	cmd := exec.Command(program, paths...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var stores [2]*reader.Store
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		stores[i] = openBytes(t, data)
	}
	return stores[0], stores[1], cmd.ProcessState.Pid()
}

func TestProcessIsDescribed(t *testing.T) {
	t.Parallel()
	start := time.Now()
	first, second, pid := dumps(t, sanitized(t, "address,undefined").client(t, "tests/process.c"))
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Skip(err)
	}
	var ids [2][16]byte
	for i, s := range []*reader.Store{first, second} {
		runs, err := s.Runs()
		if err != nil || len(runs) != 1 {
			t.Fatalf("%d runs, %v", len(runs), err)
		}
		r, h := runs[0], s.Header()
		if want := strings.ReplaceAll(strings.TrimSpace(string(boot)), "-",
			""); hex.EncodeToString(r.Process.Boot[:]) != want || r.Process.PID != uint64(pid) || r.Process.Start == 0 ||
			r.Process.Namespace == 0 {
			t.Errorf("process %+v, want boot %s and number %d", r.Process, want, pid)
		}
		if r.Begun.Before(start.Add(-time.Second)) || r.Begun.After(r.Time.Add(time.Second)) || r.Time.Before(start) ||
			!r.Time.Equal(h.Time()) {
			t.Errorf("begun %v, dumped %v, the header says %v; the test began at %v", r.Begun, r.Time, h.Time(), start)
		}
		if r.DumpID != h.DumpID || r.DumpID == ([16]byte{}) || r.VM != "VM" {
			t.Errorf("dump %x of %q, the header says %x", r.DumpID, r.VM, h.DumpID)
		}
		ids[i] = r.DumpID
	}
	if ids[0] == ids[1] {
		t.Error("two dumps have one id")
	}
}

// TestDumpsOfProcessesAreMerged: of two dumps of one process the last counts, and both
// are refused; dumps of two processes are summed.
func TestDumpsOfProcessesAreMerged(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/process.c")
	first, second, _ := dumps(t, program)
	_, other, _ := dumps(t, program)
	b := builder.New(layout.DomainGraal, builder.Config{})
	if err := merge.Into(t.Context(), b, first, merge.Run{}); err != nil {
		t.Fatal(err)
	}
	if err := merge.Into(t.Context(), b, second, merge.Run{}); !errors.Is(err, merge.ErrSameProcess) {
		t.Errorf("two dumps of one process: %v, want ErrSameProcess", err)
	}
	if by, err := merge.Superseded(first, other, second); err != nil || by[0] != 2 || by[1] != -1 || by[2] != -1 {
		t.Errorf("superseded by %v, %v, want the first by the last", by, err)
	}
	b = builder.New(layout.DomainGraal, builder.Config{})
	for _, s := range []*reader.Store{second, other} {
		if err := merge.Into(t.Context(), b, s, merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	checkCalls(t, b, 10)
}

// TestForkedProcessesAreCountedOnce: a process and its child count 105 and 10 calls on top of the
// 1000 of the archive, 5 of them before the fork.
func TestForkedProcessesAreCountedOnce(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/forked.c")
	folder := t.TempDir()
	var args []string
	for _, name := range []string{"app", "early", "parent", "child"} {
		args = append(args, filepath.Join(folder, name+".parc"))
	}
	if out, stderr, status := runProgram(t, program, args...); status != 0 {
		t.Fatalf("exit status %d: %s%s", status, out, stderr)
	}
	var stores []*reader.Store
	for _, path := range args {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		stores = append(stores, openBytes(t, data))
	}
	by, err := merge.Superseded(stores...)
	if err != nil || !slices.Equal(by, []int{-1, 2, -1, -1}) {
		t.Fatalf("superseded by %v, %v, want the early dump by that of the parent", by, err)
	}
	b := builder.New(layout.DomainGraal, builder.Config{})
	for i, s := range stores {
		if by[i] >= 0 {
			continue
		}
		if err := merge.Into(t.Context(), b, s, merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := merge.Into(t.Context(), b, stores[1], merge.Run{}); !errors.Is(err, merge.ErrSameProcess) {
		t.Errorf("two dumps of the parent: %v", err)
	}
	checkCalls(t, b, 1115)
}

// checkCalls checks how often A.m was called by all runs of a builder.
func checkCalls(t *testing.T, b *builder.Builder, want uint64) {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	p, err := openBytes(t, data).Profile(layout.Key{Class: "A", Name: "m"}, layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := p.Invocations(); n.Load() != want {
		t.Errorf("%d calls, want %d", n.Load(), want)
	}
}
