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
			j := startJVM(t, home, append(flags, "-cp", classes, "Loaders", classes, fmt.Sprint(loaders))...)
			j.Await("ready")
			archive := dump(t, j)
			if _, errs := j.End(); errs != "" {
				t.Errorf("stderr: %s", errs)
			}
			return archive
		}
		trained, file := run(), filepath.Join(t.TempDir(), "report.json")
		requireOneProfile(t, trained, loaders)
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

// requireOneProfile checks that Plugin.work has one profile with the invocations in all loaders, without those that the
// interpreter did not profile.
func requireOneProfile(t *testing.T, archive string, loaders uint64) {
	t.Helper()
	profiles := 0
	for key, p := range profilesByKey(t, open(t, archive)) {
		if key.Class != "Loaders$Plugin" || key.Name != "work" {
			continue
		}
		profiles++
		if n, _ := p.Invocations(); n.Load() < 50*loaders || n.Load() > 400*loaders {
			t.Errorf("%s has %d invocations in %d loaders", key.Loader, n.Load(), loaders)
		}
	}
	if profiles != 1 {
		t.Errorf("%d profiles of the class in %d loaders", profiles, loaders)
	}
}
