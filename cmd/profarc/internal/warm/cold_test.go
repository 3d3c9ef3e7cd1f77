package warm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A command's files are dropped wherever a word names them.
func TestFilesNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{"a.jar", "b.jar", "app.jsa", "files"}
	for _, name := range names {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list := "a.jar" + string(filepath.ListSeparator) + "classes" + string(filepath.ListSeparator) + "b.jar"
	got := filesNamed([]string{"-cp", list, "-XX:SharedArchiveFile=app.jsa", "@files", "Main", "-Dx=y"})
	if want := []string{"a.jar", "b.jar", "app.jsa", "files"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestColdRuns(t *testing.T) {
	r := warm(t, t.Context(), "-q", "-n", "1", "--cold", "--only", "plain", "--", java(t), "units")
	if r.err != nil && strings.Contains(r.err.Error(), "the system drops no file") {
		t.Log(r.err) // what the file system of the test's folder can do
	} else if r.err != nil || r.report.Contenders[0].Runs != 1 {
		t.Errorf("%+v: %v", r.report.Contenders, r.err)
	}
}
