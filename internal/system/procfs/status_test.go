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
	if got := StatusField(os.Getpid(), "Pid"); got != strconv.Itoa(os.Getpid()) {
		t.Errorf("Pid is %q, want %d", got, os.Getpid())
	}
	if got := StatusField(os.Getpid(), "PPid"); got != strconv.Itoa(os.Getppid()) {
		t.Errorf("PPid is %q, want %d", got, os.Getppid())
	}
	if got := StatusField(os.Getpid(), "Nothing") + StatusField(-1, "Pid"); got != "" {
		t.Errorf("what is not there is %q", got)
	}
}
