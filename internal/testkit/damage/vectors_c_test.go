package damage

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestReaderInC holds internal/testkit/creader against the vectors.
func TestReaderInC(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := programOf(t, compileCreader)
	index := checkDumps(t, program)
	for i := range index.Broken {
		b := &index.Broken[i]
		_, stderr, status := dumpOf(t, program, writeBroken(t, b))
		if status != 1 && (b.Level == forReaders || status != 0) {
			t.Errorf("%s, %s: exit code %d: %s", b.Of, b.Wrong, status, stderr)
		}
	}
}

// kindsOfCodes are the kinds of errors that a pa_code stands for.
var kindsOfCodes = map[string]string{"5": "corrupt checksum", "6": "truncated", "7": "format", "8": "unsupported"}

var codeOf = regexp.MustCompile(`\((\d+), region (\d+)\)\s*$`)

// TestLibprofarc holds libprofarc against the vectors: it prints the same of the sound archives, and refuses the broken
// ones with errors of the same kind.
func TestLibprofarc(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := libprofarcDump(t)
	index := checkDumps(t, program)
	refused := 0
	for i := range index.Broken {
		b := &index.Broken[i]
		_, stderr, status := dumpOf(t, program, writeBroken(t, b))
		found := codeOf.FindStringSubmatch(string(stderr))
		switch {
		case b.Level == forVerifiers && status == 0:
			continue
		case status != 1 || found == nil:
			t.Errorf("%s, %s: exit code %d: %s", b.Of, b.Wrong, status, stderr)
		case b.Level == forReaders && !strings.Contains(kindsOfCodes[found[1]], b.Error.Kind),
			b.Error.Region == "header" && found[2] != "0":
			t.Errorf("%s, %s: %s, want %+v", b.Of, b.Wrong, stderr, b.Error)
		}
		refused++
	}
	t.Logf("%d broken archives, %d of them refused", len(index.Broken), refused)
}

// checkDumps fails if a program prints other dumps of the sound archives. It returns the index.
func checkDumps(t *testing.T, program string) *vectorIndex {
	t.Helper()
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
		if out, stderr, status := dumpOf(t, program, path); status != 0 || !bytes.Equal(out, want) {
			t.Errorf("%s: exit code %d, or another dump: %s", s.File, status, stderr)
		}
	}
	return index
}

// dumpOf runs a program that dumps an archive.
func dumpOf(t *testing.T, program, path string) (stdout, stderr []byte, status int) {
	t.Helper()
	cmd := exec.Command(program, path)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return out.Bytes(), errs.Bytes(), cmd.ProcessState.ExitCode()
}

// writeBroken writes a broken archive to a temporary file, and returns its path.
func writeBroken(t *testing.T, b *brokenVector) string {
	t.Helper()
	sound, err := os.ReadFile(filepath.Join(dir, b.Of))
	if err != nil {
		t.Fatal(err)
	}
	data, err := b.Apply(sound)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "broken.parc")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
