package training

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/internal/system/procfs"
)

// A tracer traces a tree of processes. All its calls must come from one thread.
type tracer struct {
	command       int
	held          func(JVM)
	readProcesses map[int]bool // ending processes that have been read
	// multiThreaded are the processes that have started a thread. Some threads of an ending process may exit without a
	// stop before the others stop, so counting the threads at an exit is not sufficient.
	multiThreaded map[int]bool
	execTicks     map[int]uint64 // time of the exec that replaced a JVM, by process
}

const ownChildren = unix.WALL | unix.WNOTHREAD

func (t *tracer) traceAll() (Status, error) {
	for {
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, ownChildren, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return Status{}, fmt.Errorf("the command was lost: %w", err)
		case status.Stopped():
			t.handleStop(tid, status)
		case tid == t.command:
			t.holdRunning()
			return statusOf(status), nil
		default:
			delete(t.readProcesses, tid) // a process or thread has ended
			delete(t.multiThreaded, tid)
			delete(t.execTicks, tid)
		}
	}
}

// handleStop resumes a stopped thread in the same way as without a tracer.
func (t *tracer) handleStop(tid int, status unix.WaitStatus) {
	signal := status.StopSignal()
	request := unix.PTRACE_CONT
	deliver := 0
	switch int(status) >> 16 { // the event
	case 0:
		deliver = int(signal)
	case unix.PTRACE_EVENT_CLONE:
		t.handleClone(tid)
	case unix.PTRACE_EVENT_EXEC:
		t.handleExec(tid)
	case unix.PTRACE_EVENT_EXIT:
		t.handleExit(tid)
	case unix.PTRACE_EVENT_STOP:
		if signal != unix.SIGTRAP { // a job control stop lasts until SIGCONT
			request = unix.PTRACE_LISTEN
		}
	}
	// An error means that the thread was killed. A later wait reports this.
	_ = ptraceRequest(request, tid, deliver)
}

// handleExec handles an exec. Its only thread now has the number of the process.
func (t *tracer) handleExec(pid int) {
	if t.readProcesses[pid] {
		t.execTicks[pid] = bootTicks()
	}
	delete(t.readProcesses, pid)
	delete(t.multiThreaded, pid)
}

// bootTicks returns the time since the machine was booted, in the unit of /proc (USER_HZ).
func bootTicks() uint64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) // never fails
	return uint64(now.Nano()) / (1e9 / 100)
}

// handleExit is called while a thread is stopped at its exit. If the whole process ends, the other threads remain
// stopped at their exits until this returns.
func (t *tracer) handleExit(tid int) {
	p := thread(tid)
	// A thread that ended alone leaves its stop if its process ends. Another thread of it will be used.
	if p.endsAlone() || !p.isStopped() {
		return
	}
	pid, ok := p.processID()
	if !ok || t.readProcesses[pid] {
		return
	}
	if !t.isJVM(pid, p) {
		return
	}
	code, err := unix.PtraceGetEventMsg(tid)
	if err != nil {
		return
	}
	t.readProcesses[pid] = true
	j := JVM{PID: pid, Thread: tid, Args: p.arguments(), Own: pid == t.command, Status: statusOf(unix.WaitStatus(code)),
		Began: t.execTicks[pid]}
	j.Replaced = j.Status == Status{} && isExecuting(pid)
	t.held(j)
}

// isExecuting reports whether a thread of a process is in exec. The system then kills all other threads, which stop
// at their exits while that thread waits for them.
func isExecuting(pid int) bool {
	for range 50 {
		running := false
		tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		for _, task := range tasks {
			tid, _ := strconv.Atoi(task.Name())
			switch thread(tid).systemCall() {
			case strconv.Itoa(unix.SYS_EXECVE), strconv.Itoa(unix.SYS_EXECVEAT):
				return true
			case "running":
				running = true
			}
		}
		if !running {
			return false
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

func (t *tracer) handleClone(tid int) {
	started, err := unix.PtraceGetEventMsg(tid)
	if err != nil {
		return
	}
	if pid, ok := thread(started).processID(); ok && pid != int(started) {
		t.multiThreaded[pid] = true
	}
}

// isJVM reports whether the process of a thread is a JVM, which has several threads. A forked child of a JVM has the
// JVM's memory before its exec, but only one thread.
func (t *tracer) isJVM(pid int, p thread) bool {
	return p.hasLibjvm() && (t.multiThreaded[pid] || p.countThreads() >= 2)
}

// holdRunning reads the JVMs that still run. They are released when the tracer's thread ends.
func (t *tracer) holdRunning() {
	for _, pid := range tracedProcesses() {
		if p := thread(pid); !t.readProcesses[pid] && t.isJVM(pid, p) {
			t.held(JVM{PID: pid, Thread: pid, Args: p.arguments(), Own: pid == t.command, Running: true,
				Began: t.execTicks[pid]})
		}
	}
}

func statusOf(s unix.WaitStatus) Status {
	if s.Signaled() {
		return Status{Signal: int(s.Signal())}
	}
	return Status{Code: s.ExitStatus()}
}

// A thread is a thread number, whose state is read from /proc.
type thread int

func (t thread) readProc(name string) []byte {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", int(t), name))
	return text
}

// endsAlone reports whether a thread at its exit ends without its process: it is in the system call exit, not in
// exit_group or killed. A thread that is gone counts, too.
func (t thread) endsAlone() bool {
	number := t.systemCall()
	return number == "" || number == strconv.Itoa(unix.SYS_EXIT)
}

func (t thread) systemCall() string {
	number, _, _ := strings.Cut(strings.TrimSpace(string(t.readProc("syscall"))), " ")
	return number
}

func (t thread) isStopped() bool { return strings.HasPrefix(t.statusField("State"), "t") }

func (t thread) processID() (pid int, ok bool) {
	pid, err := strconv.Atoi(t.statusField("Tgid"))
	return pid, err == nil
}

func (t thread) statusField(field string) string { return procfs.StatusField(int(t), field) }

func (t thread) hasLibjvm() bool {
	for m, err := range procfs.Mappings(context.Background(), int(t)) {
		if err == nil && (m.Name() == "libjvm.so" || strings.HasPrefix(m.Name(), "libj9vm")) {
			return true
		}
	}
	return false
}

func (t thread) countThreads() int {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", int(t)))
	return len(tasks)
}

func (t thread) arguments() []string {
	line := strings.TrimSuffix(string(t.readProc("cmdline")), "\x00")
	return strings.Split(line, "\x00")
}

func tracedProcesses() (pids []int) {
	me := strconv.Itoa(unix.Gettid())
	processes, _ := os.ReadDir("/proc")
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err == nil && thread(pid).statusField("TracerPid") == me {
			pids = append(pids, pid)
		}
	}
	return pids
}
