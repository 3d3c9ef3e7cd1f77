package program_test

import (
	"bufio"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// A version of the program, compiled.
type compiled struct {
	dir  string
	java string // that runs it; empty for the one on the path
	*program.ClassPath
}

// compile compiles the program with some of its text replaced. Every edit must change something.
func compile(t *testing.T, edits ...[2]string) compiled {
	t.Helper()
	return compileRenamed(t, nil, edits...)
}

// compileRenamed compiles the program after edits, with other names: words has the new name of each old one.
func compileRenamed(t *testing.T, words map[string]string, edits ...[2]string) compiled {
	t.Helper()
	full.Only(t, "starts JVMs")
	javac, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("no javac: put that of a JDK on the path")
	}
	text, err := os.ReadFile(filepath.Join("testdata", "Market.java"))
	if err != nil {
		t.Fatal(err)
	}
	source := string(text)
	for _, e := range edits {
		if strings.Count(source, e[0]) != 1 {
			t.Fatalf("%q stands %d times in the program", e[0], strings.Count(source, e[0]))
		}
		source = strings.Replace(source, e[0], e[1], 1)
	}
	for old, now := range words {
		source = regexp.MustCompile(`\b`+old+`\b`).ReplaceAllString(source, now)
	}
	return compileText(t, javac, source)
}

// compileText compiles a version of the program.
func compileText(t *testing.T, javac, source string) compiled {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "Market.java")
	if err := os.WriteFile(path, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(javac, "--release", "17", "-d", dir, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c, err := program.OpenClassPath([]string{dir}, 17)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return compiled{dir: dir, ClassPath: c}
}

// start runs a version up to where it waits, and returns the process. The VM compiles only on command, so
// that runs count alike, and not so well that it stops counting.
func (c compiled) start(t *testing.T) (pid int) {
	t.Helper()
	full.Only(t, "starts JVMs")
	java, err := exec.LookPath(cmp.Or(c.java, "java"))
	if err != nil {
		t.Skip("no java: put that of a JDK on the path")
	}
	cmd := exec.Command(java, "-Xbatch", "-XX:TieredStopAtLevel=3", "-cp", c.dir, "Market")
	in, out := testjvm.StartPiped(t, cmd)
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); !strings.HasPrefix(line, "done") {
		t.Fatalf("the program prints %q: %v", line, err)
	}
	return cmd.Process.Pid
}

// train returns the profiles of a run.
func (c compiled) train(t *testing.T) *reader.Store {
	t.Helper()
	vm, err := live.Attach(t.Context(), c.start(t))
	if err != nil {
		t.Skipf("cannot read a JVM here: %v", err)
	}
	b, _,
		err := vm.Dump(t.Context(), live.Options{Class: func(name string) bool { return strings.HasPrefix(name, "Market") }})
	if err != nil {
		t.Fatal(err)
	}
	return open(t, b)
}

// open opens what was built, which must be sound.
func open(t *testing.T, b *builder.Builder) *reader.Store {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("market.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	t.Cleanup(func() { s.Close() })
	r, err := verify.Store(t.Context(), s, nil)
	if err != nil || !r.Sound() {
		t.Fatalf("not sound: %v %v", err, r.Problems)
	}
	return s
}

// check checks, and returns the verdicts by class and method.
func check(t *testing.T, s *reader.Store, against fit.Code, o fit.Options) (*fit.Report, map[string]fit.Verdict) {
	t.Helper()
	verdicts := map[string]fit.Verdict{}
	o.Each = func(v *fit.Verdict) error {
		verdicts[name(t, v.Method)] = *v
		return nil
	}
	r, err := fit.Check(t.Context(), s, against, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, verdicts
}

func key(t *testing.T, m reader.Method) layout.Key {
	t.Helper()
	k, err := m.Key()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// name returns a method without its signature: the program overloads none.
func name(t *testing.T, m reader.Method) string {
	t.Helper()
	k := key(t, m)
	return strings.TrimPrefix(k.Class, "Market$") + "." + k.Name
}
