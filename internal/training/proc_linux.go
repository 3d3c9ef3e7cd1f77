package training

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/internal/procfs"
)

// A thread is asked through /proc.
type thread int

func (t thread) read(name string) []byte {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", int(t), name)) // empty if it is gone
	return text
}

// endsAlone reports whether a thread at its exit ends itself and not its
// process: it is in the system call exit, and not in exit_group or killed. One
// of which nothing is known any more counts as such.
func (t thread) endsAlone() bool {
	number, _, _ := bytes.Cut(t.read("syscall"), []byte(" "))
	return len(number) == 0 || string(number) == strconv.Itoa(unix.SYS_EXIT)
}

// stopped reports whether the thread stands still by tracing.
func (t thread) stopped() bool { return strings.HasPrefix(t.status("State"), "t") }

// process is the process of the thread.
func (t thread) process() (pid int, ok bool) {
	pid, err := strconv.Atoi(t.status("Tgid"))
	return pid, err == nil
}

// status is a field of the thread's status, empty if there is none.
func (t thread) status(field string) string { return procfs.Status(int(t), field) }

// hasJVM reports whether libjvm is loaded: of HotSpot, or of another VM, which
// whoever reads it tells from HotSpot.
func (t thread) hasJVM() bool {
	for m, err := range procfs.Mappings(context.Background(), int(t)) {
		if err == nil && (m.Name() == "libjvm.so" || strings.HasPrefix(m.Name(), "libj9vm")) {
			return true
		}
	}
	return false
}

// siblings is how many threads the process has that are not gone yet.
func (t thread) siblings() int {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", int(t)))
	return len(tasks)
}

// args are what the process was called with.
func (t thread) args() []string {
	line := strings.TrimSuffix(string(t.read("cmdline")), "\x00")
	return strings.Split(line, "\x00")
}

// tracees are the processes that this thread of the system traces.
func tracees() (pids []int) {
	me := strconv.Itoa(unix.Gettid())
	processes, _ := os.ReadDir("/proc")
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err == nil && thread(pid).status("TracerPid") == me {
			pids = append(pids, pid)
		}
	}
	return pids
}
