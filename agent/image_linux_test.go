package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// An archive that is cut short, or written over, while a JVM runs does not end the JVM.
func TestArchiveCutShort(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Adopted.java")
		archive := train(t, home, classes, 2000)
		reportFile := filepath.Join(t.TempDir(), "report.json")
		j := startJVM(t, home, agentFlag(t, archive, ",drift,report="+reportFile), "-cp", classes, "Adopted", "load")
		j.Await("ready")
		if err := os.Truncate(archive, 0); err != nil {
			t.Fatal(err)
		}
		j.Send("more") // another class is looked up
		j.Await("loaded")
		if _, errs := j.End(); errs != "" {
			t.Errorf("stderr: %s", errs)
		}
		if n := readReport(t, reportFile).count("methods_adopted"); n < 9 {
			t.Errorf("%d methods adopted", n)
		}
	})
}

// Anything but an archive, such as a pipe that nobody writes to, is refused at once.
func TestArchiveThatIsNoFile(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Need(t, testjvm.First())
	classes := testjvm.Compile(t, testjvm.First(), "testdata/Adopted.java")
	dir := t.TempDir()
	short, empty := filepath.Join(dir, "short"), filepath.Join(dir, "empty")
	write(t, short, "x")
	write(t, empty, "")
	for _, archive := range []string{fifo(t, dir), dir, os.DevNull, short, empty, filepath.Join(dir, "none")} {
		j := startJVM(t, testjvm.First(), agentFlag(t, archive, ""), "-cp", classes, "Adopted", "load")
		j.Await("ready")
		if _, errs := j.End(); strings.Count(errs, "\n") != 1 ||
			!strings.HasPrefix(errs, "profarc: no profiles adopted: the archive can't be used: ") {
			t.Errorf("%s: stderr is %q", archive, errs)
		}
	}
}
