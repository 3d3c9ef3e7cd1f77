package creader_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/testkit/cprogram"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/vectors"
)

// TestVectors holds the reader in C against testdata/v1.
func TestVectors(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	const dir = "../../../testdata/v1"
	program := sanitized(t)
	index, err := vectors.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range index.Sound {
		want, err := os.ReadFile(filepath.Join(dir, s.File+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if out, stderr, status := cprogram.Run(t, program, filepath.Join(dir, s.File)); status != 0 ||
			string(out) != string(want) {
			t.Errorf("%s: exit code %d, or another dump: %s", s.File, status, stderr)
		}
	}
	for _, b := range index.Broken {
		sound, err := os.ReadFile(filepath.Join(dir, b.Of))
		if err != nil {
			t.Fatal(err)
		}
		data, err := b.Apply(sound)
		if err != nil {
			t.Fatal(err)
		}
		_, stderr, status := cprogram.Run(t, program, cprogram.Write(t, data))
		if status != 1 && (b.Level == vectors.Reader || status != 0) {
			t.Errorf("%s, %s: exit code %d: %s", b.Of, b.Wrong, status, stderr)
		}
	}
}
