package recipes

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// needs skips a test unless a tool is installed, and returns its path.
func needs(t *testing.T, tool, from string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the recipes are for Unix")
	}
	path, err := exec.LookPath(tool)
	if err != nil {
		t.Skipf("no %s: install %s", tool, from)
	}
	return path
}

var build = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "profarc-recipes-")
	if err != nil {
		return "", err
	}
	text, err := exec.Command("go", "build", "-o", folder, "../cmd/profarc").CombinedOutput()
	if err != nil {
		err = errors.New(string(text))
	}
	return folder, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if folder, err := build(); err == nil {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// withProfarc puts the command on the PATH of a test, before everything else but the given folders.
func withProfarc(t *testing.T, before ...string) {
	t.Helper()
	folder, err := build()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", strings.Join(append(before, folder, os.Getenv("PATH")), string(os.PathListSeparator)))
}

// run runs a command in a folder, and returns its output and exit code.
func run(t *testing.T, folder, name string, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// must is like run for a command that must succeed.
func must(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	out, code := run(t, folder, name, args...)
	if code != 0 {
		t.Fatalf("%s %s: exit code %d: %s", name, strings.Join(args, " "), code, out)
	}
	return out
}

// read returns the text of a file.
func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// put writes a file.
func put(t *testing.T, text string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
}

// copied returns a copy of a recipe.
func copied(t *testing.T, recipe string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(recipe)); err != nil {
		t.Fatal(err)
	}
	return folder
}

// contains fails the test unless a text has all parts.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %q", part, text)
		}
	}
}
