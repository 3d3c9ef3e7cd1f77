package sourcefiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// No name that a compiler gave leads out of the folders.
func TestFilesStayInTheirFolder(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]string{
		"/etc/passwd": {"etc/passwd", "passwd"}, "../../etc/passwd": {"etc/passwd", "passwd"},
		"a/../../b": {"b"}, "..": nil, "/": nil, "": nil,
	} {
		t.Run(file, func(t *testing.T) {
			var got []string
			for _, place := range (Folders{"src"}).candidatePaths(file) {
				got = append(got, filepath.ToSlash(strings.TrimPrefix(place, "src"+string(filepath.Separator))))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s:\n%s", file, diff)
			}
		})
	}
	if n := len((Folders{"src"}).candidatePaths(strings.Repeat("a/", 100_000))); n != maxDepth {
		t.Errorf("%d places", n)
	}
}

// TestBesideABinary: a binary often has the name of its source folder, and stands where the folder is looked for.
func TestBesideABinary(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{"web": "ELF", "main.go": "package main\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, lines, err := (Folders{folder}).Lines("example.org/web/main.go"); err != nil || len(lines) != 1 {
		t.Errorf("%q, %v", lines, err)
	}
	if _, _, err := (Folders{folder}).Lines("web/other.go"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
