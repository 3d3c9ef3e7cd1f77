package procfs

import (
	"os"
	"runtime"
	"strconv"
	"testing"
)

func TestStatus(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /proc/PID/status")
	}
	if got := Status(os.Getpid(), "Pid"); got != strconv.Itoa(os.Getpid()) {
		t.Errorf("Pid is %q, want %d", got, os.Getpid())
	}
	if got := Status(os.Getpid(), "PPid"); got != strconv.Itoa(os.Getppid()) {
		t.Errorf("PPid is %q, want %d", got, os.Getppid())
	}
	if got := Status(os.Getpid(), "Nothing") + Status(-1, "Pid"); got != "" {
		t.Errorf("what is not there is %q", got)
	}
}
