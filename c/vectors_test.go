package c_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/cprogram"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/vectors"
)

// kindsOfCodes are the kinds of errors that a pa_code stands for.
var kindsOfCodes = map[string]string{"5": "corrupt checksum", "6": "truncated", "7": "format", "8": "unsupported"}

var codeOf = regexp.MustCompile(`\((\d+), region (\d+)\)\s*$`)

// TestVectors holds the library against testdata/v1: it prints the same of the sound archives, and refuses the broken
// ones with errors of the same kind.
func TestVectors(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	const dir = "../testdata/v1"
	program := sanitized(t, "address,undefined").client(t, "tests/dump.c")
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
	refused := 0
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
		found := codeOf.FindStringSubmatch(string(stderr))
		switch {
		case b.Level == vectors.Verifier && status == 0:
			continue
		case status != 1 || found == nil:
			t.Errorf("%s, %s: exit code %d: %s", b.Of, b.Wrong, status, stderr)
		case b.Level == vectors.Reader && !strings.Contains(kindsOfCodes[found[1]], b.Error.Kind),
			b.Error.Region == "header" && found[2] != "0":
			t.Errorf("%s, %s: %s, want %+v", b.Of, b.Wrong, stderr, b.Error)
		}
		refused++
	}
	t.Logf("%d broken archives, %d of them refused", len(index.Broken), refused)
}
