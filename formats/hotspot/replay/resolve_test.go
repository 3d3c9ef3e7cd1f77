package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/jvm/classfile"
)

// A call finds its method where a VM would.
func TestResolve(t *testing.T) {
	command(t, home25(), "java")
	p, err := classfile.Open([]string{home25()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	w := &writer{path: p}
	for name, want := range map[string]string{
		"stream()Ljava/util/stream/Stream;": "java/util/Collection", "containsAll(Ljava/util/Collection;)Z": "java/util/AbstractCollection",
		"get(I)Ljava/lang/Object;": "java/util/ArrayList", "no()V": "",
	} {
		at := strings.IndexByte(name, '(')
		c, _, ok, err := w.resolve("java/util/ArrayList", methodKey{name: name[:at], signature: name[at:]})
		if err != nil || ok != (want != "") || ok && c.Name != want {
			t.Errorf("%s of ArrayList is not that of %s: %v", name, want, err)
		}
	}
}

func classBytes(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(classes(t), name+".class"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
