package watch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// manyFunctions is a program with so many instrumented functions that its raw profile has
// about 2 MB.
func manyFunctions(t *testing.T) string {
	t.Helper()
	var source strings.Builder
	const functions = 12_000
	for i := range functions {
		fmt.Fprintf(&source, "__attribute__((noinline)) int f%d(int n) { int s = %d; for (int i = 0; i < n; i++) { if (i %% 3 == 0) s += i; else if (i %% 5 == 1) s ^= n; switch (s & 3) { case 0: s++; break; case 1: s--; break; default: s += 2; } } return s; }\n", i, i)
	}
	source.WriteString("int main(int argc, char **argv) { volatile int s = 0;\n")
	for i := range functions {
		fmt.Fprintf(&source, "s += f%d(argc);\n", i)
	}
	source.WriteString("return 0; }\n")
	return compiledFrom(t, source.String())
}

// TestWhatManyRunsLeave runs a large program PROFARC_WATCH_RUNS times while a watcher takes
// its files, and says how much was written, how much of it was on disk at most, what is
// kept, and how much memory the watcher took.
func TestWhatManyRunsLeave(t *testing.T) {
	runs, err := strconv.Atoi(os.Getenv("PROFARC_WATCH_RUNS"))
	if err != nil {
		t.Skip("PROFARC_WATCH_RUNS=1000 measures a thousand runs")
	}
	program := manyFunctions(t)
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	var producers sync.WaitGroup
	var mu sync.Mutex
	started := 0
	for range 2 {
		producers.Go(func() {
			for {
				mu.Lock()
				started++
				n := started
				mu.Unlock()
				if n > runs {
					return
				}
				cmd := exec.Command(program)
				cmd.Env = append(os.Environ(), "LLVM_PROFILE_FILE="+filepath.Join(folder, strconv.Itoa(n)+".profraw"))
				if text, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, text)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { producers.Wait(); close(ended) }()
	most, memory := int64(0), int64(0)
	for done := false; !done; {
		select {
		case <-ended:
			done = true
		default:
		}
		most = max(most, sizeOf(folder))
		cmd := child(t, folder, out, 0)
		if !endedWell(t, cmd) {
			t.Fatal("the watcher was killed")
		}
		memory = max(memory, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss<<10)
	}
	if got := calls(t, out, "main"); got != uint64(runs) {
		t.Errorf("%d runs are counted, want %d", got, runs)
	}
	if left := files(t, folder); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	one := filepath.Join(t.TempDir(), "one.profraw")
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "LLVM_PROFILE_FILE="+one)
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(one)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d runs wrote %d MB; at most %d MB were there at once; kept %d MB; the watcher took %d MB of memory",
		runs, int64(runs)*info.Size()/1e6, most/1e6, sizeOf(filepath.Dir(out))/1e6, memory/1e6)
}

// sizeOf returns the bytes of all files below a folder.
func sizeOf(folder string) (sum int64) {
	_ = filepath.WalkDir(folder, func(_ string, d os.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
