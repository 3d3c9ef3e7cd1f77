package live

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
)

func TestCodeIDIsThatOfTheClassFile(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.Each(t, func(t *testing.T, home string) {
		j := compiling(t, home, profiling)
		d := dump(t, j.pid(), Options{})
		methods := codeIDs(t, d)
		code := classFiles(t, home, slices.Collect(func(yield func(string) bool) {
			for class := range methods {
				if !yield(class) {
					return
				}
			}
		}))
		same := 0
		for class, ids := range methods {
			for name, id := range ids {
				want, ok := code[class][name]
				if !ok {
					continue // the VM has made the method up
				}
				if id.code != bytecode.CodeID(want) || int(id.size) != len(want) {
					t.Errorf("%s.%s: code id %x of %d bytes, the class file's is %x of %d", class, name, id.code, id.size,
						bytecode.CodeID(want), len(want))
				}
				same++
			}
		}
		t.Logf("%d methods of %d classes", same, len(methods))
		if same < 1000 {
			t.Error("too few methods to say anything")
		}
	})
}

type codeID struct {
	code uint64
	size uint32
}

// codeIDs returns the code ids of a dump, by class, name and signature.
func codeIDs(t *testing.T, d dumped) map[string]map[string]codeID {
	t.Helper()
	out := map[string]map[string]codeID{}
	for m, err := range d.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		key, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.Profiles() {
			if m.Flags()&layout.MethodNotMatchable != 0 {
				continue
			}
			size, _ := p.Size()
			if out[key.Class] == nil {
				out[key.Class] = map[string]codeID{}
			}
			out[key.Class][key.Name+key.Signature] = codeID{p.Code(), size}
		}
	}
	return out
}

// classFiles returns the code of the methods of classes.
func classFiles(t *testing.T, home string, names []string) map[string]map[string][]byte {
	t.Helper()
	dir, err := classes()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	cmd := exec.Command(filepath.Join(home, "bin", "java"), "-cp", dir, "Classes", out)
	cmd.Stdin = strings.NewReader(strings.Join(names, "\n"))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	code := map[string]map[string][]byte{}
	for i, name := range names {
		b, err := os.ReadFile(filepath.Join(out, strconv.Itoa(i)+".class"))
		if err != nil {
			continue
		}
		if code[name], err = codeOf(b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return code
}
