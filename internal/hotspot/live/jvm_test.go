package live

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

var classFolder string

// classes compiles the programs of the tests, once, for the older JVM.
var classes = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "live"); err != nil {
		return "", err
	}
	classFolder = dir
	sources, _ := filepath.Glob(filepath.Join("testdata", "*.java"))
	cmd := exec.Command(filepath.Join(testjvm.First(), "bin", "javac"),
		slices.Concat(testjvm.Briefly, []string{"-encoding", "UTF-8", "-d", dir}, sources)...)
	cmd.Stderr = os.Stderr
	return dir, cmd.Run()
})

func TestMain(m *testing.M) {
	code := m.Run()
	if classFolder != "" {
		_ = os.RemoveAll(classFolder)
	}
	os.Exit(code)
}

// A jvm is a program in a JVM of its own.
type jvm struct {
	t     testing.TB
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	ended bool
}

// start starts a program of testdata.
func start(t testing.TB, home string, args ...string) *jvm {
	t.Helper()
	full.Only(t, "starts JVMs")
	dir, err := classes()
	if err != nil {
		t.Skipf("cannot compile the programs: %v", err)
	}
	j := &jvm{t: t, cmd: exec.Command(filepath.Join(home, "bin", "java"), append([]string{"-cp", dir}, args...)...)}
	j.cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	in, out := testjvm.StartPiped(t, j.cmd)
	j.in, j.out = in, bufio.NewReader(out)
	t.Cleanup(func() {
		if !j.ended {
			_ = j.cmd.Process.Kill()
			_ = j.cmd.Wait()
		}
	})
	return j
}

func (j *jvm) pid() int { return j.cmd.Process.Pid }

// await reads the output up to a line.
func (j *jvm) await(want string) {
	j.t.Helper()
	for {
		line, err := j.out.ReadString('\n')
		if strings.TrimSpace(line) == want {
			return
		}
		if err != nil || strings.HasPrefix(line, "failed") {
			j.t.Fatalf("waited for %q, got %q, %v", want, line, err)
		}
	}
}

// end lets the program run to its end, and returns the rest of its output.
func (j *jvm) end() string {
	j.t.Helper()
	_ = j.in.Close()
	rest, err := io.ReadAll(j.out)
	if err != nil {
		j.t.Fatal(err)
	}
	j.ended = true
	if err := j.cmd.Wait(); err != nil {
		j.t.Fatalf("the program did not end well: %v", err)
	}
	return string(rest)
}

// profiling is where a VM compiles with C1 alone, in half the time. It profiles as with C2.
const profiling = "-XX:TieredStopAtLevel=3"

// compiling starts a VM that has run a compiler and then stands still.
func compiling(t *testing.T, home string, flags ...string) *jvm {
	t.Helper()
	j := start(t, home, append(flags, "Compile", "1", t.TempDir())...)
	j.await("ready")
	return j
}

// A dumped is a dump, opened again.
type dumped struct {
	*reader.Store
	vm     *VM
	report *Report
}

// dump dumps a process, checks the archive, and opens it.
func dump(t testing.TB, pid int, o Options) dumped {
	t.Helper()
	vm, err := Attach(context.Background(), pid)
	if err != nil {
		t.Fatal(err)
	}
	b, report, err := vm.Dump(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return dumped{Store: open(t, b), vm: vm, report: report}
}

// open commits a builder, verifies the archive and opens it.
func open(t testing.TB, b *builder.Builder) *reader.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.parc")
	if _, err := b.Commit(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if r, err := verify.Store(context.Background(), s, nil); err != nil || len(r.Problems) > 0 {
		t.Fatalf("the archive is not sound: %v, %v", err, r.Problems)
	}
	return s
}

// numRefused returns how many profiles were left out, for whatever reason.
func (r *Report) numRefused() (n int) {
	for _, x := range r.Refused {
		n += x.Count
	}
	return n
}
