package training

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// A tracer lets a tree of processes run. All its calls come from one thread.
type tracer struct {
	command int
	held    func(JVM)
	read    map[int]bool // processes that end and have been read
	// threaded are the processes that have started a thread. A thread that a
	// process ends with may pass its exit without a stop, before the others stop
	// at theirs, so that counting threads at an exit is not enough.
	threaded map[int]bool
}

// ours keeps a wait from taking children that other threads started.
const ours = unix.WALL | unix.WNOTHREAD

// run follows the tree until the command ends.
func (t *tracer) run() (Status, error) {
	for {
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, ours, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return Status{}, fmt.Errorf("the command was lost: %w", err)
		case status.Stopped():
			t.stopped(tid, status)
		case tid == t.command:
			t.leave()
			return statusOf(status), nil
		default:
			delete(t.read, tid) // the process has ended, or a thread
			delete(t.threaded, tid)
		}
	}
}

// stopped lets a thread that has stopped go on, as it would without a tracer.
func (t *tracer) stopped(tid int, status unix.WaitStatus) {
	signal := status.StopSignal()
	request, deliver := unix.PTRACE_CONT, 0
	switch int(status) >> 16 { // the event
	case 0:
		deliver = int(signal)
	case unix.PTRACE_EVENT_CLONE:
		t.cloned(tid)
	case unix.PTRACE_EVENT_EXIT:
		t.exits(tid)
	case unix.PTRACE_EVENT_STOP:
		if signal != unix.SIGTRAP { // job control: it is to stand still until it is told to go on
			request = unix.PTRACE_LISTEN
		}
	}
	// An error means that it was killed in the meantime, of which a wait tells.
	_ = ptrace(request, tid, deliver)
}

// exits is called while a thread stands at its exit. If the whole process
// ends, the other threads do not get past theirs before this returns.
func (t *tracer) exits(tid int) {
	p := thread(tid)
	// The end of its process takes a thread that ended alone out of its stop.
	// That thread's memory may be gone; another one tells of the process.
	if p.endsAlone() || !p.stopped() {
		return
	}
	pid, ok := p.process()
	if !ok || t.read[pid] {
		return
	}
	if !t.isJVM(pid, p) {
		return
	}
	code, err := unix.PtraceGetEventMsg(tid)
	if err != nil {
		return
	}
	t.read[pid] = true
	t.held(JVM{PID: pid, Thread: tid, Args: p.args(), Status: statusOf(unix.WaitStatus(code))})
}

// cloned is called while a thread stands after it has started another, or a process.
func (t *tracer) cloned(tid int) {
	started, err := unix.PtraceGetEventMsg(tid)
	if err != nil {
		return
	}
	if pid, ok := thread(started).process(); ok && pid != int(started) {
		t.threaded[pid] = true
	}
}

// isJVM reports whether the process of a thread is a JVM. A child of a JVM that
// has not become another program yet has the JVM's memory, but a single thread.
// A JVM has several.
func (t *tracer) isJVM(pid int, p thread) bool {
	return p.hasJVM() && (t.threaded[pid] || p.siblings() >= 2)
}

// leave reads the JVMs that still run. They are let go when the thread of the
// tracer ends.
func (t *tracer) leave() {
	for _, pid := range tracees() {
		if p := thread(pid); !t.read[pid] && t.isJVM(pid, p) {
			t.held(JVM{PID: pid, Thread: pid, Args: p.args(), Running: true})
		}
	}
}

func statusOf(s unix.WaitStatus) Status {
	if s.Signaled() {
		return Status{Signal: s.Signal()}
	}
	return Status{Code: s.ExitStatus()}
}
