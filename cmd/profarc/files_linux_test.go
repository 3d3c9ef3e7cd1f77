package main

import (
	"archive/zip"
	"errors"
	"os"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestWebClosesItsFiles counts file descriptors around a report of two archives with a class
// path and sources.
func TestWebClosesItsFiles(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Chdir(t.TempDir())
	largeArchive(t, "one.parc", 1)
	largeArchive(t, "two.parc", 2)
	f, err := os.Create("app.jar")
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	_, err = z.Create("app/None.class")
	if err := errors.Join(err, z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	report := []string{"web", "one.parc", "two.parc", "--class-path", "app.jar", "--source-path", "app.jar", "--methods",
		"2", "-o", "out.html"}
	var open []int
	for range 3 {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		open = append(open, len(list))
		if err := runInProcess(t.Context(), report); err != nil {
			t.Fatal(err)
		}
	}
	if open[1] != open[0] || open[2] != open[0] {
		t.Errorf("before each report %v files are open", open)
	}
}
