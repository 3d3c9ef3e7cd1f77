package agent_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// sharedObject compiles a C file of testdata with the headers of a JDK.
func sharedObject(t *testing.T, home, name string) string {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	object, include := filepath.Join(t.TempDir(), "lib"+name+".so"), filepath.Join(home, "include")
	out, err := exec.Command(cc, "-std=c11", "-Wall", "-shared", "-fPIC", "-I"+include,
		"-I"+filepath.Join(include, runtime.GOOS), "-o", object, "testdata/"+name+".c", "-lpthread").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return object
}

// classesTakenUp runs a program with the agent, and returns how many classes adopted.
func (r *rig) classesTakenUp(t *testing.T, c *cell, further ...string) int {
	t.Helper()
	reportFile := filepath.Join(t.TempDir(), "report.json")
	got := r.run(t, c, append(further, agentFlag(t, r.archive(t, c, 0), ",report="+reportFile)))
	if got.failure != "" || got.errs != "" {
		t.Errorf("%s\n%s", got.failure, got.errs)
	}
	return readReport(t, reportFile).count("classes")
}

// A class that another thread prepares while the agent attaches is taken up once, although
// the VM tells of it and has it in its list. The list's references are more than a native
// may have without asking, which -Xcheck:jni of some releases reports in the program's
// output.
func TestClassesPreparedMeanwhile(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		const classes, others = 240, 20
		r, c := newRig(t, home, ""), &cell{program: "Threads"}
		want := r.classesTakenUp(t, c)
		got := r.classesTakenUp(t, c, fmt.Sprintf("-agentpath:%s=Many$C,%d", sharedObject(t, home, "beside"), classes))
		if want < classes || got < classes || got > want+others {
			t.Errorf("%d classes were taken up, %d if nobody prepares any meanwhile", got, want)
		}
	})
}
