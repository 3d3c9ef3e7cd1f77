package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeListsTheFiles keeps the map in README.md complete: one row for each source file with its header.
func TestReadmeListsTheFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.[ch]")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(file, filepath.Ext(file))
		named[name] = true
		if strings.Count(string(text), "\n| `"+name+"` |") != 1 {
			t.Errorf("README.md has no row for %s, or several", name)
		}
	}
	_, table, _ := strings.Cut(string(text), "\n## Files\n")
	if rows := strings.Count(table, "\n| `"); rows != len(named) {
		t.Errorf("README.md has %d rows for %d files", rows, len(named))
	}
}
