package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The turns do what the table says they do: the archive has about the size that was
// asked for, and what is written has the size of the archive.
func TestTurns(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"even", "javac", "shuffled"} {
		j := job{t.TempDir(), shape, 4e6}
		path := filepath.Join(j.Dir, "archive")
		bytes, err := build(j, path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes < 3e6 || bytes > 5e6 {
			t.Errorf("%s: %d bytes, want about 4 MB", shape, bytes)
		}
		if info, err := os.Stat(path); err != nil || info.Size() != bytes {
			t.Errorf("%s: %v, %v, want a file of %d bytes", shape, info, err, bytes)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"10MB": 1e7, "1GB": 1e9, "2.4GB": 24e8} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "GB", "1", "1 GB"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is %d bytes", text, got)
		}
	}
}
