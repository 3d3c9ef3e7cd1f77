package live

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/layout"
)

func TestCodeIDIsThatOfTheClassFile(t *testing.T) {
	eachJVM(t, func(t *testing.T, home string) {
		j := compiling(t, home, "1")
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
				if id.code != CodeID(want) || int(id.size) != len(want) {
					t.Errorf("%s.%s: code id %x of %d bytes, the class file's is %x of %d", class, name, id.code, id.size, CodeID(want), len(want))
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

// codeIDs gives the code ids of a dump, by class, name and signature.
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

// classFiles gives the code of the methods of classes.
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

// A method with all that is special: quick forms, a switch at every alignment,
// wide.
func TestCodeIDOfQuickForms(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []byte
	}{
		{"field access", []byte{aload0, getfield, 0, 7, 172}, []byte{223 - 2, 234, 9, 0, 172}},
		{"call", []byte{aload0, invokevirtual, 1, 2, 177}, []byte{220, 227, 3, 4, 177}},
		{"dynamic call", []byte{invokedynamic, 0, 9, 0, 0, 177}, []byte{invokedynamic, 0xf6, 0xff, 0xff, 0xff, 232}},
		{"constant", []byte{ldc, 3, 87, 177}, []byte{230, 0, 87, 177}},
		{"wide constant", []byte{ldcW, 3, 1, 87, 177}, []byte{231, 1, 0, 87, 177}},
		{"lookupswitch", []byte{lookupswitch, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 20, 177},
			[]byte{228, 9, 9, 9, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 20, 177}},
	} {
		if CodeID(c.a) != CodeID(c.b) || CodeID(c.a) == 0 {
			t.Errorf("%s: %x, quick %x", c.name, CodeID(c.a), CodeID(c.b))
		}
	}
	for name, code := range map[string][]byte{
		"breakpoint": {aload0, breakpoint, 0, 7, 172}, "cut off": {getfield, 0}, "cut switch": {lookupswitch, 0, 0, 0, 0, 0, 0, 1},
		"huge switch": {tableswitch, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff}, "no bytecode": {255},
	} {
		if id := CodeID(code); id != 0 {
			t.Errorf("%s: %x", name, id)
		}
	}
	if CodeID([]byte{iload, 1, 172}) == CodeID([]byte{iload, 2, 172}) {
		t.Error("operands do not count")
	}
}

func TestCodeIDOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		CodeID(rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "code"))
	})
}
