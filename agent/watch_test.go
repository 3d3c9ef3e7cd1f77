package agent_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// The flags are restored after the time of warmup, whatever the wall clock says.
func TestWatchDoesNotWaitByTheWallClock(t *testing.T) {
	full.Only(t, "starts JVMs")
	home := testjvm.First()
	testjvm.Need(t, home)
	classes := testjvm.Compile(t, home, "testdata/Adopted.java")
	flag := agentFlag(t, train(t, home, classes, 2000), ",warmup=500")
	t.Setenv("LD_PRELOAD", sharedObject(t, home, "clock"))
	j := startJVM(t, home, flag, "-XX:+UnlockDiagnosticVMOptions", "-cp", classes, "Adopted", "load")
	if err := os.Unsetenv("LD_PRELOAD"); err != nil {
		t.Fatal(err)
	}
	j.Await("ready")
	await(t, "the old value of the flag", func() bool {
		out := tool(t, home, "jinfo", "-flag", "TieredOldPercentage", fmt.Sprint(j.PID()))
		return strings.TrimSpace(out) == "-XX:TieredOldPercentage=1000"
	})
	j.End()
}
