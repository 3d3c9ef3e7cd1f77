// Package testjvm finds JDKs for tests, compiles Java programs, and starts JVMs. The first JDK comes from JAVA_HOME or
// PATH, the second one from JAVA25_HOME or /usr/lib/jvm.
package testjvm

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/profarc/profarc/internal/testkit/full"
)

// First returns the home of the first JDK, or "".
func First() string {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		return home
	}
	javac, err := exec.LookPath("javac")
	if err != nil {
		return ""
	}
	javac, err = filepath.EvalSymlinks(javac)
	if err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(javac))
}

// Second returns the home of the second JDK, or "".
func Second() string {
	if home := os.Getenv("JAVA25_HOME"); home != "" {
		return home
	}
	if found, _ := filepath.Glob("/usr/lib/jvm/*25*"); len(found) > 0 {
		return found[0]
	}
	return ""
}

// Each runs a test with each JDK, and skips missing JDKs.
func Each(t *testing.T, test func(t *testing.T, home string)) {
	for name, home := range map[string]string{"first": First(), "second": Second()} {
		t.Run(name, func(t *testing.T) {
			Need(t, home)
			test(t, home)
		})
	}
}

// EachInLongForm runs a test, which depends little on the JDK release, with the first JDK. With PROFARC_EXHAUSTIVE it
// runs the test with each JDK.
func EachInLongForm(t *testing.T, test func(t *testing.T, home string)) {
	if os.Getenv("PROFARC_EXHAUSTIVE") != "" {
		Each(t, test)
		return
	}
	t.Run("first", func(t *testing.T) {
		Need(t, First())
		test(t, First())
	})
}

// Need skips a test if there is no JDK at home.
func Need(t testing.TB, home string) {
	t.Helper()
	full.Only(t, "starts JVMs")
	if _, err := os.Stat(filepath.Join(home, "bin", "java")); home == "" || err != nil {
		t.Skip("no such JDK: set JAVA_HOME to JDK 17 and JAVA25_HOME to JDK 25")
	}
}

// Briefly has flags that halve the time of JDK tools that run for a few seconds.
var Briefly = []string{"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"}

// compiled caches compiled classes, keyed by JDK and source text.
var compiled = struct {
	sync.Mutex
	classes map[string]fs.FS
}{classes: map[string]fs.FS{}}

// Compile compiles sources with a JDK, and returns a temporary folder with the classes. It compiles equal sources only
// once.
func Compile(t testing.TB, home string, sources ...string) string {
	t.Helper()
	full.Only(t, "starts JVMs")
	key := home
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		key += "\x00" + string(text)
	}
	dir := t.TempDir()
	compiled.Lock()
	defer compiled.Unlock()
	if classes := compiled.classes[key]; classes != nil {
		if err := os.CopyFS(dir, classes); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	cmd := exec.Command(filepath.Join(home, "bin", "javac"),
		slices.Concat(Briefly, []string{"-encoding", "UTF-8", "-d", dir}, sources)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, out)
	}
	compiled.classes[key] = readTree(t, dir)
	return dir
}

// readTree copies the files of a folder to memory.
func readTree(t testing.TB, dir string) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name] = &fstest.MapFile{Mode: 0o600}
			files[name].Data, err = os.ReadFile(filepath.Join(dir, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A JVM is a running Java program. It is killed at the end of the test.
type JVM struct {
	t     testing.TB
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	errs  strings.Builder
	ended bool
}

// Start starts java with arguments.
func Start(t testing.TB, home string, args ...string) *JVM {
	t.Helper()
	j := &JVM{t: t, cmd: exec.Command(filepath.Join(home, "bin", "java"), args...)}
	j.cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	j.cmd.Stderr = &j.errs
	in, out := StartPiped(t, j.cmd)
	j.in, j.out = in, bufio.NewReader(out)
	t.Cleanup(j.killIfRunning)
	return j
}

// StartPiped starts a command, and returns pipes to its standard input and from its standard output.
func StartPiped(t testing.TB, cmd *exec.Cmd) (in io.WriteCloser, out io.Reader) {
	t.Helper()
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return in, out
}

func (j *JVM) killIfRunning() {
	if !j.ended {
		_ = j.cmd.Process.Kill()
		_ = j.cmd.Wait()
	}
}

// PID returns the process id.
func (j *JVM) PID() int { return j.cmd.Process.Pid }

// Await reads the output up to the line want.
func (j *JVM) Await(want string) {
	j.t.Helper()
	for {
		line, err := j.out.ReadString('\n')
		if strings.TrimSpace(line) == want {
			return
		}
		if err != nil {
			j.t.Fatalf("waited for %q, got %q, %v\n%s", want, line, err, j.errs.String())
		}
	}
}

// Send writes a line to the program's standard input.
func (j *JVM) Send(line string) {
	j.t.Helper()
	if _, err := io.WriteString(j.in, line+"\n"); err != nil {
		j.t.Fatal(err)
	}
}

// End closes the program's standard input, waits for its end, and returns the rest of its standard output, and its
// standard error. The exit code must be 0.
func (j *JVM) End() (out, errs string) {
	j.t.Helper()
	_ = j.in.Close()
	rest, err := io.ReadAll(j.out)
	if err != nil {
		j.t.Fatal(err)
	}
	j.ended = true
	if err := j.cmd.Wait(); err != nil {
		j.t.Fatalf("the program did not end well: %v\n%s\n%s", err, rest, j.errs.String())
	}
	return string(rest), j.errs.String()
}
