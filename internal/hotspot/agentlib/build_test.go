package agentlib_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/profarc/profarc/internal/hotspot/agentlib"
	"github.com/profarc/profarc/internal/testkit/full"
)

// stub returns an agent of one file of its own and one of the library's.
func stub() *agentlib.Build {
	return &agentlib.Build{
		Agent: fstest.MapFS{
			"agent.c": {Data: []byte("//go:build ignore\n#include \"agent.h\"\n#include <profarc.h>\n" +
				"__attribute__((visibility(\"default\"))) int Agent_OnLoad(void *vm, char *o, void *r) { return answer(); }\n")},
			"agent.h": {Data: []byte("#include <stddef.h>\n")},
		},
		Library: fstest.MapFS{
			"include/profarc.h": {Data: []byte("int answer(void);\n")},
			"src/answer.c":      {Data: []byte("#include \"profarc.h\"\nint answer(void) { return 0; }\n")},
		},
	}
}

// needCompiler skips a test where the agent cannot be built.
func needCompiler(t *testing.T) {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	if err := agentlib.Supported(); err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no cc")
	}
}

func find(t *testing.T, b *agentlib.Build) string {
	t.Helper()
	path, err := b.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLibraryIsBuiltOnce(t *testing.T) {
	full.Only(t, "takes many inputs")
	needCompiler(t)
	t.Setenv("CC", "")
	t.Setenv(agentlib.Variable, "")
	b, builds := stub(), 0
	b.Cache, b.Begin = t.TempDir(), func(string) { builds++ }
	first := find(t, b)
	if again := find(t, b); again != first || builds != 1 {
		t.Errorf("%s was built %d times, then %s", first, builds, again)
	}
	b.Agent.(fstest.MapFS)["agent.h"].Data = []byte("#include <string.h>\n")
	changed := find(t, b)
	t.Setenv("CC", "cc -g")
	if other := find(t, b); changed == first || other == changed || builds != 3 {
		t.Errorf("after %d builds: %s, of other sources %s, by another command %s", builds, first, changed, other)
	}
	if left, _ := filepath.Glob(filepath.Join(b.Cache, ".build-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestParallelBuildsAreWhole(t *testing.T) {
	full.Only(t, "takes many inputs")
	needCompiler(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv(agentlib.Variable, "")
	cache := t.TempDir()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			b := stub()
			b.Cache = cache
			path, err := b.Find(t.Context(), "")
			if err != nil {
				t.Error(err)
			} else if err := agentlib.CheckLoads(t.Context(), path, "/bin/sh"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestWithoutCompiler(t *testing.T) {
	needCompiler(t)
	t.Setenv(agentlib.Variable, "")
	b := stub()
	b.Cache = t.TempDir()
	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	if _, err := b.Find(t.Context(), ""); !errors.Is(err, agentlib.ErrNoCompiler) {
		t.Fatalf("without a compiler: %v", err)
	}
	t.Setenv("CC", "no-such-cc -m64")
	if _, err := b.Find(t.Context(), ""); !errors.Is(err, agentlib.ErrNoCompiler) ||
		!strings.Contains(err.Error(), "no-such-cc") {
		t.Errorf("with a CC that is not there: %v", err)
	}
	t.Setenv("CC", "")
	t.Setenv("PATH", path)
	built := find(t, b)
	t.Setenv("PATH", t.TempDir())
	if got := find(t, b); got != built {
		t.Errorf("an earlier build is at %s, found %s", built, got)
	}
}

func TestCompilerFails(t *testing.T) {
	needCompiler(t)
	t.Setenv(agentlib.Variable, "")
	b := stub()
	b.Cache = t.TempDir()
	b.Agent.(fstest.MapFS)["agent.h"].Data = []byte("#include <no_such_header.h>\n")
	_, err := b.Find(t.Context(), "")
	if err == nil || !strings.Contains(err.Error(), "no_such_header.h") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a header is missing: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(b.Cache, "*", agentlib.Name)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDamagedCacheIsBuiltAgain(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	needCompiler(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv(agentlib.Variable, "")
	b := stub()
	b.Cache = t.TempDir()
	path := find(t, b)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if err := agentlib.CheckLoads(t.Context(), find(t, b), "/bin/sh"); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Find(t.Context(), ""); err == nil {
		t.Error("a library that everybody can write was taken")
	}
}

func TestNamedLibrary(t *testing.T) {
	needCompiler(t)
	b := stub()
	b.Cache = t.TempDir()
	t.Setenv(agentlib.Variable, "")
	built, folder := find(t, b), filepath.Join(t.TempDir(), "new", "folder")
	installed, err := b.Install(t.Context(), "", folder)
	if err != nil || installed != filepath.Join(folder, agentlib.Name) {
		t.Fatalf("installed as %s: %v", installed, err)
	}
	t.Setenv(agentlib.Variable, installed)
	if got := find(t, &agentlib.Build{}); got != installed {
		t.Errorf("%s names %s, found %s", agentlib.Variable, installed, got)
	}
	if got, err := b.Find(t.Context(), built); err != nil || got != built {
		t.Errorf("--agent names %s, found %s: %v", built, got, err)
	}
	text := filepath.Join(folder, "text.so")
	if err := os.WriteFile(text, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{text, filepath.Join(folder, "none.so"), folder} {
		if got, err := b.Find(t.Context(), wrong); err == nil {
			t.Errorf("%s was taken as %s", wrong, got)
		}
	}
}

// A linker is asked once for each library and linker, and again when one of them is another file.
func TestLinkerIsAskedOnce(t *testing.T) {
	needCompiler(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(path(name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put("program.c", "int main(void) { return 0; }")
	cc := exec.Command("cc", path("program.c"), "-o", path("program"), "-Wl,--dynamic-linker="+path("linker"))
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", cc, err, out)
	}
	ask := func(want string) {
		t.Helper()
		err := agentlib.CheckLoads(t.Context(), path("library"), path("program"))
		asked, _ := os.ReadFile(path("asked"))
		if string(asked) != want || err != nil {
			t.Errorf("asked %q, want %q; %v", asked, want, err)
		}
	}
	put("linker", "#!/bin/sh\necho 1 >>"+path("asked"))
	put("library", "one")
	ask("1\n")
	ask("1\n")
	put("library", "another")
	ask("1\n1\n")
	put("linker", "#!/bin/sh\necho another >>"+path("asked"))
	ask("1\n1\nanother\n")
	put("linker", "#!/bin/sh\nexit 1")
	for range 2 { // what cannot be loaded is not kept
		if agentlib.CheckLoads(t.Context(), path("library"), path("program")) == nil {
			t.Error("a library that cannot be loaded was taken")
		}
	}
}

func TestLibraryThatCannotBeLoaded(t *testing.T) {
	needCompiler(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder := t.TempDir()
	for name, text := range map[string]string{"gone.c": "int gone(void) { return 0; }",
		"agent.c": "int gone(void); int agent(void) { return gone(); }"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"-shared", "-fPIC", "gone.c", "-o", "libgone.so"},
		{"-shared", "-fPIC", "agent.c", "-o", "agent.so", "-Wl,--no-as-needed", "-L.", "-lgone"},
	} {
		cc := exec.Command("cc", args...)
		cc.Dir = folder
		if out, err := cc.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", cc, err, out)
		}
	}
	if err := os.Remove(filepath.Join(folder, "libgone.so")); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(folder, "agent.so")
	if err := agentlib.CheckLoads(t.Context(), library, "/bin/sh"); err == nil ||
		!strings.Contains(err.Error(), "libgone.so") {
		t.Errorf("a library that needs another that is gone: %v", err)
	}
	if err := agentlib.CheckLoads(t.Context(), library, filepath.Join(folder, "gone.c")); err != nil {
		t.Errorf("a script has no linker to ask: %v", err)
	}
}
