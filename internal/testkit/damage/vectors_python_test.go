package damage

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestReaderInPython holds the reader of testdata/v1/reader, which was written from docs/format.md alone, against the
// vectors.
func TestReaderInPython(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	program := filepath.Join(dir, "reader", "profarc.py")
	index, err := readIndexes()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range index.Sound {
		path := filepath.Join(dir, s.File)
		want, err := os.ReadFile(path + ".json")
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(python, "-B", program, "json", path).Output()
		if err != nil || string(out) != string(want) {
			t.Errorf("%s: another dump: %v", s.File, err)
		}
	}
	out, _ := exec.Command(python, append([]string{"-B", program, "check"}, archives(t, index)...)...).Output()
	verdicts := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(verdicts) != len(index.Sound)+len(index.Broken) {
		t.Fatalf("%d verdicts: %s", len(verdicts), out)
	}
	for i, verdict := range verdicts {
		_, verdict, _ = strings.Cut(verdict, ": ")
		said, _, _ := strings.Cut(verdict, " ")
		if i < len(index.Sound) {
			if said != "sound" {
				t.Errorf("%s: %s", index.Sound[i].File, verdict)
			}
		} else if b := index.Broken[i-len(index.Sound)]; said != b.Error.Kind {
			t.Errorf("%s, %s: %s, want %s %+v", b.Of, b.Wrong, verdict, b.Level, b.Error)
		}
	}
}

// archives returns the paths of the sound archives, then of the broken ones.
func archives(t *testing.T, index *vectorIndex) (paths []string) {
	t.Helper()
	for _, s := range index.Sound {
		paths = append(paths, filepath.Join(dir, s.File))
	}
	broken := t.TempDir()
	for i, b := range index.Broken {
		sound, err := os.ReadFile(filepath.Join(dir, b.Of))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(broken, fmt.Sprint(i))
		data, err := b.Apply(sound)
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}
