package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/fullfs"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// fifo makes a pipe in a folder that nobody reads or writes.
func fifo(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	return path
}

// runForReport runs a program that ends at once, and returns its stderr.
func runForReport(t *testing.T, archive, classes, report string) string {
	t.Helper()
	j := startJVM(t, testjvm.First(), agentFlag(t, archive, ",report="+option(report)), "-cp", classes,
		"Adopted", "load")
	j.Await("ready")
	_, errs := j.End()
	return errs
}

// A report replaces a file in one step, and nothing else: not what a link leads to, which
// somebody else may have put into a folder for all, and no pipe, which holds the VM up.
func TestReportFile(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Need(t, testjvm.First())
	classes := testjvm.Compile(t, testjvm.First(), "testdata/Adopted.java")
	archive, dir := train(t, testjvm.First(), classes, 2000), t.TempDir()
	report, old, link := filepath.Join(dir, "report.json"), filepath.Join(dir, "old.json"), filepath.Join(dir, "link.json")
	write(t, report, "old")
	if err := errors.Join(os.Chmod(dir, os.ModeSticky|0o777), os.Link(report, old), os.Symlink(old, link)); err != nil {
		t.Fatal(err)
	}
	if errs := runForReport(t, archive, classes, report); errs != "" {
		t.Errorf("stderr: %s", errs)
	}
	if n := readReport(t, report).count("methods_adopted"); n < 9 {
		t.Errorf("%d methods adopted", n)
	}
	for _, path := range []string{link, fifo(t, dir), filepath.Join(dir, "none", "report.json")} {
		if errs := runForReport(t, archive, classes, path); !strings.HasPrefix(errs,
			"profarc: the report can't be written to "+path+": ") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: stderr is %q", path, errs)
		}
	}
	if text, err := os.ReadFile(old); err != nil || string(text) != "old" {
		t.Errorf("the old report, which a link leads to, is %q, %v", text, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".profarc-*")); len(left) > 0 {
		t.Errorf("%s is left", left)
	}
	reportOnFull(t, archive, classes)
}

// reportOnFull adopts an archive of a full file system, which has no space for the report.
func reportOnFull(t *testing.T, archive, classes string) {
	t.Helper()
	dir := t.TempDir()
	data, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "app.parc"), string(data))
	out, err := fullfs.Run(t, dir, nil, filepath.Join(testjvm.First(), "bin", "java"),
		agentFlag(t, "full/app.parc", ",report=full/report.json"), "-cp", classes, "Adopted", "load")
	if err != nil || !strings.Contains(out, "ready\n") || strings.Count(out, "profarc: ") != 1 ||
		!strings.Contains(out, "profarc: the report can't be written to full/report.json: ") {
		t.Errorf("%v: %s", err, out)
	}
}
