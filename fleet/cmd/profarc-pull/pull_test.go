package main

import (
	"debug/elf"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/profarc/profarc/fleet/internal/testregistry"
	"github.com/profarc/profarc/internal/testkit/full"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"profarc-pull": main, "profarc": main})
}

// TestScripts runs testdata/script with REGISTRY, an empty registry, and ODD, a server that refuses everything.
func TestScripts(t *testing.T) {
	refusing := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	}
	empty, odd := testregistry.Memory(t, true, nil), testregistry.Memory(t, true, refusing)
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("REGISTRY", empty)
			e.Setenv("ODD", odd)
			return nil
		}})
}

// linkable are the modules that the program may contain.
var linkable = []string{
	"github.com/RoaringBitmap/roaring", "github.com/bits-and-blooms/bitset", "github.com/cespare/xxhash",
	"github.com/edsrzf/mmap-go", "github.com/ianlancetaylor/demangle", "github.com/klauspost/compress",
	"github.com/mitchellh/colorstring", "github.com/opencontainers/go-digest", "github.com/opencontainers/image-spec",
	"github.com/profarc/profarc", "github.com/rivo/uniseg", "github.com/schollz/progressbar", "github.com/spf13/cobra",
	"github.com/spf13/pflag", "golang.org/x/sync", "golang.org/x/sys", "golang.org/x/term", "oras.land/oras-go",
	"github.com/inconshreveable/mousetrap", // Windows
}

// TestDependencies: the program links no client of an object store, and nothing else that is new here.
func TestDependencies(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if len(linked) < 20 {
		t.Errorf("only %d packages of modules are listed", len(linked))
	}
	for _, module := range linked {
		known := false
		for _, path := range linkable {
			known = known || module == path || strings.HasPrefix(module, path+"/")
		}
		if !known {
			t.Errorf("the program links %s: it is small because it links few modules", module)
		}
	}
}

// dockerfile is the recipe for the image of the init container.
const dockerfile = "../../../recipes/kubernetes/Dockerfile"

// largestProgram leaves room for the certificates in an image of less than 15 MB.
const largestProgram = 12 << 20

// TestProgramIsSmall builds the program with the flags of the recipe. An image from scratch has no dynamic loader.
func TestProgramIsSmall(t *testing.T) {
	full.Only(t, "links a program")
	t.Parallel()
	path := buildLike(t, dockerfile)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("profarc-pull has %d bytes", info.Size())
	if info.Size() > largestProgram {
		t.Errorf("the program has %d bytes, more than %d", info.Size(), largestProgram)
	}
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			t.Error("the program needs a dynamic loader")
		}
	}
	if file.Section(".symtab") != nil {
		t.Error("the program is not stripped")
	}
}

// buildLike builds the program with the settings and flags of the line in a Dockerfile, for this machine's processor.
func buildLike(t *testing.T, dockerfile string) (path string) {
	t.Helper()
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(string(text), "\nRUN ")
	line, rest, hasFlags := strings.Cut(line, " -o /profarc-pull ")
	if !found || !hasFlags || !strings.HasPrefix(rest, "./cmd/profarc-pull\n") {
		t.Fatalf("%s does not build the program", dockerfile)
	}
	path = filepath.Join(t.TempDir(), "profarc-pull")
	build := exec.Command("sh", "-c", "GOOS=linux "+line+" -o "+path+" .")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}
