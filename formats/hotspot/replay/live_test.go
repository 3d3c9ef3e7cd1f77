package replay

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/profarc/profarc/internal/jvm/names"
)

// The tests of this file run JVMs: the one of JAVA_HOME, or on the path, and
// the one of JAVA25_HOME, or next to others.

const program = "Shapes"

// home17 and home25 are the homes of the JVMs, empty where there is none.
func home17() string {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		return home
	}
	java, err := exec.LookPath("java")
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(java); err == nil {
		java = real
	}
	return filepath.Dir(filepath.Dir(java))
}

func home25() string {
	if home := os.Getenv("JAVA25_HOME"); home != "" {
		return home
	}
	found, _ := filepath.Glob("/usr/lib/jvm/*25*")
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// command returns a command of a JVM; the test is skipped where there is none.
func command(t testing.TB, home, name string) string {
	t.Helper()
	path := filepath.Join(home, "bin", name)
	if _, err := exec.LookPath(path); home == "" || err != nil {
		t.Skipf("no %s: set JAVA_HOME to JDK 17 and JAVA25_HOME to JDK 25", name)
	}
	return path
}

var scratch = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "shapes") })

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := scratch(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

var compileOnce sync.Mutex

// classes compiles the program for all JVMs and returns the folder.
func classes(t testing.TB) string {
	t.Helper()
	compileOnce.Lock()
	defer compileOnce.Unlock()
	dir, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "classes")
	if _, err := os.Stat(out); err == nil {
		return out
	}
	home := home17()
	if home == "" {
		home = home25()
	}
	cmd := exec.Command(command(t, home, "javac"), "--release", "17", "-encoding", "UTF-8", "-d", out, filepath.Join("testdata", program+".java"))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("cannot compile the program: %v\n%s", err, text)
	}
	return out
}

// recorded runs the program in a JVM and returns the replay files that it writes.
func recorded(t testing.TB, home string, flags ...string) map[string]string {
	t.Helper()
	java, dir := command(t, home, "java"), t.TempDir()
	args := append([]string{"-XX:+UnlockDiagnosticVMOptions", "-XX:CompileCommand=option,*::*,bool,DumpReplay,true", "-Xbatch"}, flags...)
	cmd := exec.Command(java, append(args, "-cp", classes(t), program)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "replay_*.log"))
	texts := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(path)] = string(text)
	}
	if len(texts) == 0 {
		t.Fatal("the JVM wrote no replay file")
	}
	return texts
}

// compilationOf returns the file of C2's compilation of a method of the program.
func compilationOf(t testing.TB, texts map[string]string, method string) string {
	t.Helper()
	spelled := string(names.AppendQuoted(nil, method))
	for _, text := range texts {
		at := strings.LastIndex(text, "\n"+kindCompile+" "+program+" "+spelled+" (")
		if at >= 0 && strings.Contains(text[at:], " -1 4 inline ") {
			return text
		}
	}
	t.Fatalf("C2 did not compile %s", method)
	return ""
}

func TestLive(t *testing.T) {
	for name, home := range map[string]func() string{"17": home17, "25": home25} {
		for kind, flags := range map[string][]string{
			"default": nil, "types": {"-XX:TypeProfileLevel=222"}, "width": {"-XX:TypeProfileWidth=4"},
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				widths := map[uint32]int{}
				for file, text := range recorded(t, home(), flags...) {
					widths[checkFile(t, file, text).Params.TypeProfileWidth]++
				}
				// A file whose receivers are all after everything else fits
				// several widths.
				if kind == "width" && widths[4] == 0 || kind != "width" && len(widths) != 1 {
					t.Errorf("receiver rows of the files: %v", widths)
				}
			})
		}
	}
}
