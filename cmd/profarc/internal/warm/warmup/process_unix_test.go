//go:build unix

package warmup

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	r := measured(t, program("leave print=a"))
	var pid int
	if _, err := fmt.Sscanf(string(r.Text), "left %d\na\n", &pid); err != nil || r.Failure != "" {
		t.Fatalf("%+v, %q: %v", r, r.Text, err)
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	for range 500 { // until its parent, which is not this process, has noticed
		if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); p.Signal(syscall.Signal(0)) != nil ||
			err == nil && strings.Contains(string(status), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d lives", pid)
}
