package folderwatch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestOpenFilesAreLeftAlone: a file counts once nobody has it open or mapped for writing.
func TestOpenFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	path := filepath.Join(folder, "1.proftext")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(proftext("f", 1)); err != nil {
		t.Fatal(err)
	}
	if _, certain := openForWriting(f, path); !certain {
		t.Skip("this system does not tell who has a file open")
	}
	w := open(t, folder, out, Options{Remove: true})
	b := again(t, w)
	want(t, "merged of an open file", b.Merged, 0)
	want(t, "in use", b.InUse, 1)

	page, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	want(t, "in use, of a mapped file", again(t, w).InUse, 1)
	if !writtenBySomeone(path) {
		t.Error("the mapping is not found in /proc")
	}
	if err := unix.Munmap(page); err != nil {
		t.Fatal(err)
	}
	if writtenBySomeone(path) {
		t.Error("a mapping is found in /proc that is gone")
	}
	want(t, "merged", again(t, w).Merged, 1)
}

// TestOpenFilesInProc: where there is no lease, /proc tells who writes.
func TestOpenFilesInProc(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if !writtenBySomeone(path) {
		t.Error("the writer is not found")
	}
	f.Close()
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if writtenBySomeone(path) {
		t.Error("a reader counts as a writer")
	}
}

// TestLockedFilesAreLeftAlone: LLVM's runtime locks the files it adds to.
func TestLockedFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &whole); err != nil {
		t.Skip(err)
	}
	r, err := openRegular(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if lockForReading(r) {
		t.Error("a file is locked for reading that is locked for writing")
	}
	whole.Type = unix.F_UNLCK
	if err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &whole); err != nil {
		t.Fatal(err)
	}
	if !lockForReading(r) {
		t.Error("a file that is not locked cannot be locked")
	}
}

const countingProgram = `
#include <stdio.h>
__attribute__((noinline)) int counted(int n) { return n > 2 ? n : 1; }
int main(int argc, char **argv) {
	volatile int sum = 0;
	for (int i = 0; i < 1000; i++) sum += counted(i);
	if (argc > 1) { puts("ready"); fflush(stdout); getchar(); }
	return 0;
}
`

// loop is the first counter of main in each run: it counts main's loop.
const loop = 1000

// compiled returns an instrumented program.
func compiled(t *testing.T, flags ...string) string {
	t.Helper()
	return compiledFrom(t, countingProgram, flags...)
}

// compiledFrom returns an instrumented program with a source.
func compiledFrom(t *testing.T, text string, flags ...string) string {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	clang := ""
	for _, name := range []string{"clang", "clang-19", "clang-14"} {
		if path, err := exec.LookPath(name); err == nil && clang == "" {
			clang = path
		}
	}
	if clang == "" {
		t.Skip("no clang: install clang")
	}
	folder := t.TempDir()
	source, program := filepath.Join(folder, "counted.c"), filepath.Join(folder, "counted")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-O1", "-fprofile-generate", "-fno-vectorize", source, "-o", program}, flags...)
	if text, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
		t.Skipf("no instrumented programs: %v: %s", err, text)
	}
	return program
}

// TestProgramsWriteWhileFilesAreTaken runs programs of clang's that write files of their
// own, and such that add to one, while their files are merged and removed.
func TestProgramsWriteWhileFilesAreTaken(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := compiled(t)
	for _, name := range []string{"%p.profraw", "%m.profraw", "%2m.profraw"} {
		folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
		w := open(t, folder, out, Options{Remove: true})
		const workers, runs = 4, 30
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for range runs {
					cmd := exec.Command(program)
					cmd.Env = append(os.Environ(), "LLVM_PROFILE_FILE="+filepath.Join(folder, name))
					if text, err := cmd.CombinedOutput(); err != nil || len(text) > 0 {
						t.Errorf("%v: %s", err, text)
					}
				}
			})
		}
		ended := make(chan struct{})
		go func() { all.Wait(); close(ended) }()
		merged := 0
		for done := false; !done; {
			select {
			case <-ended:
				done = true
			default:
			}
			b := again(t, w)
			merged += b.Merged
			for _, a := range b.Aside {
				if a.Reason != nil && !strings.Contains(a.Reason.Error(), "empty") {
					t.Errorf("%s: %s is set aside: %v", name, a.Path, a.Reason)
				}
			}
		}
		for b := again(t, w); b.InUse > 0; b = again(t, w) {
			merged += b.Merged
		}
		if got := calls(t, out, "main"); got != workers*runs*loop {
			t.Errorf("%s: %d are counted, want %d (%d files)", name, got, workers*runs*loop, merged)
		}
		if left := files(t, folder); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

// TestContinuousMode: a program that counts in the file itself has it mapped until it ends.
func TestContinuousMode(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := compiled(t, "-mllvm", "-runtime-counter-relocation")
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	w := open(t, folder, out, Options{Remove: true})
	for run := 1; run <= 2; run++ {
		cmd := exec.Command(program, "wait")
		cmd.Env = append(os.Environ(), "LLVM_PROFILE_FILE="+filepath.Join(folder, "%c%p.profraw"))
		in, err1 := cmd.StdinPipe()
		stdout, err2 := cmd.StdoutPipe()
		if err1 != nil || err2 != nil || cmd.Start() != nil {
			t.Fatal(err1, err2)
		}
		if _, err := fmt.Fscan(stdout, new(string)); err != nil {
			t.Fatal(err)
		}
		if len(files(t, folder)) == 0 {
			t.Skip("this program has no file while it runs: continuous mode is not supported")
		}
		b := again(t, w)
		want(t, "merged while it runs", b.Merged, 0)
		want(t, "in use", b.InUse, 1)
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		want(t, "merged", again(t, w).Merged, 1)
		want(t, "counted", int(calls(t, out, "main")), run*loop)
	}
}

// A process that looked a file up before it was renamed may write to it after that: it is
// merged when the process has closed it.
func TestClaimedFileIsOpened(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	path := filepath.Join(folder, "1.proftext")
	write(t, folder, "1.proftext", proftext("f", 1), 1)
	var late *os.File
	w := open(t, folder, out, Options{Remove: true, step: func(what string) {
		if what == "claim" && late == nil {
			var err error
			if late, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
				t.Error(err)
			}
		}
	}})
	b, err := w.mergeBatch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, "merged", b.Merged, 0)
	want(t, "in use", b.InUse, 1)
	_, err = late.WriteAt([]byte(proftext("f", 5)), 0)
	if err := errors.Join(err, late.Close()); err != nil {
		t.Fatal(err)
	}
	want(t, "merged", again(t, w).Merged, 1)
	want(t, "calls", int(calls(t, out, "f")), 5)
	want(t, "files", len(files(t, folder)), 0)
}
