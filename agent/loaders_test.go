package agent_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// TestClassesOfManyLoadersAdoptOnce checks a class that many loaders had in training: each class of the next run tries
// each of its methods once, and not once for each loader of training.
func TestClassesOfManyLoadersAdoptOnce(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	const loaders = 200
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Loaders.java")
		run := func(flags ...string) string {
			j := testjvm.Start(t, home, append(flags, "-cp", classes, "Loaders", classes, fmt.Sprint(loaders))...)
			j.Await("ready")
			archive := dump(t, j)
			if _, errs := j.End(); errs != "" {
				t.Errorf("stderr: %s", errs)
			}
			return archive
		}
		trained, file := run(), filepath.Join(t.TempDir(), "report.json")
		run(agentFlag(t, trained, ",warn=0,report="+file))
		r := readReport(t, file)
		if n := r.count("methods_adopted"); n < loaders {
			t.Errorf("%d methods adopted, in %d loaders", n, loaders)
		}
		if n := r.count("methods_refused_already_profiled"); n > loaders/2 {
			t.Errorf("%d methods were tried again", n)
		}
	})
}
