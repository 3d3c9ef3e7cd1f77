// Package testjvm finds JDKs for tests, and compiles and starts Java programs. The first JDK comes from JAVA_HOME or
// PATH, the second one from JAVA25_HOME or /usr/lib/jvm.
package testjvm

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
