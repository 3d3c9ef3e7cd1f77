package pages

import (
	"archive/zip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/specimen"
)

// openFiles returns how many file descriptors the process has.
func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(list)
}

// zipFile writes a zip file with one empty file.
func zipFile(t *testing.T, name, holds string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	_, err = z.Create(holds)
	if err := errors.Join(err, z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSitesCloseTheirFiles counts file descriptors around a site with jars and zip files.
func TestSitesCloseTheirFiles(t *testing.T) {
	sp := specimen.All()[0]
	site := specimenSite(t, sp)
	before := openFiles(t)
	site.ClassPath, site.SourcePath = []string{zipFile(t, "a.jar", "A.class")}, []string{zipFile(t, "src.zip", "A.java")}
	if p, err := programOf(requestOf(t, site, nameOfMethods)); err != nil || p.err != nil {
		t.Fatal(err, p.err)
	}
	if n := openFiles(t); n < before+2 {
		t.Errorf("%d files are open, %d were: jars are not held open", n, before)
	}
	site.Close()
	if n := openFiles(t); n != before {
		t.Errorf("%d files are open, %d were", n, before)
	}
	if _, err := tallyOf(requestOf(t, site, nameOfMethods)); !errors.Is(err, context.Canceled) {
		t.Errorf("a closed site begins to count: %v", err)
	}
	if n := len(site.work.jobs); n != 1 {
		t.Errorf("a closed site has %d jobs", n)
	}
	if _, err := programOf(requestOf(t, site, nameOfMethods)); err != nil {
		t.Errorf("what was computed is lost: %v", err)
	}
}

// Close waits for running computations, and closes their results too.
func TestClosingSitesWaitForTheirWork(t *testing.T) {
	t.Parallel()
	site := specimenSite(t, specimen.All()[0])
	r := requestOf(t, site, nameOfMethods)
	r.patience = 0
	made := &closable{}
	_, err := resultOf(r, "something", func(ctx context.Context, _ *Site, _ *Progress) (*closable, error) {
		<-ctx.Done()
		return made, nil
	})
	var late *unfinished
	if !errors.As(err, &late) {
		t.Fatal(err)
	}
	site.Close()
	if !made.closed {
		t.Error("the result of a computation that ended late is not closed")
	}
}

type closable struct{ closed bool }

func (c *closable) Close() { c.closed = true }

// A panic in the background is the error of the pages that need the result, and of no other.
func TestPanicInTheBackground(t *testing.T) {
	t.Parallel()
	site := specimenSite(t, specimen.All()[0])
	site.work.startJob("what the profiles are made of",
		func(context.Context, *Progress) (any, error) { panic("made by a test") })
	never := func(context.Context, *Site, *Progress) (*closable, error) { return nil, nil }
	_, err := resultOf(requestOf(t, site, nameOfMethods), "what the profiles are made of", never)
	if err == nil || !strings.Contains(err.Error(),
		"a defect of profarc, while it computed what the profiles are made of (site_linux_test.go:") {
		t.Errorf("the error is %v", err)
	}
	if _, err := programOf(requestOf(t, site, nameOfMethods)); err != nil {
		t.Errorf("another computation: %v", err)
	}
}
