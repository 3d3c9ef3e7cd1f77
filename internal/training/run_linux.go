package training

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Run runs a command to its end and returns its status. The error says that it
// was not started, or that it was lost on the way.
func Run(c Command) (status Status, err error) {
	done := make(chan struct{})
	go onThread(func() {
		defer close(done)
		status, err = c.runTraced()
	})
	<-done
	return status, err
}

// onThread runs f on a thread of the system that ends with it: the system knows
// a tracer by its thread, and releases all that is still traced when the
// thread ends.
func onThread(f func()) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		f()
		return // locked: the thread ends too
	}
	// The first thread never ends. While it waits here, another is found.
	done := make(chan struct{})
	go func() {
		defer close(done)
		onThread(f)
	}()
	<-done
	runtime.UnlockOSThread()
}

func (c *Command) runTraced() (Status, error) {
	forward := newForwarder(c.Ignored)
	defer forward.stop()
	pid, err := c.start()
	if err != nil {
		return Status{}, err
	}
	forward.to(pid)
	t := &tracer{command: pid, held: c.Held, read: map[int]bool{}, threaded: map[int]bool{}}
	return t.traceAll()
}

// follow is what tracing stops for, besides signals: new processes and
// threads, which are traced from then on, and the ends of threads.
const follow = unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEEXIT

// start starts the command, seized before its first instruction.
//
// A child can only ask to be traced in the old way (PTRACE_TRACEME), in which
// its stops by job control cannot be told from others. So it is released at its
// first instruction, stopped by a signal, and seized as it stands.
func (c *Command) start() (pid int, err error) {
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	attr := &syscall.ProcAttr{Dir: c.Dir, Env: env, Sys: &syscall.SysProcAttr{Ptrace: true}}
	for _, f := range c.Files {
		attr.Files = append(attr.Files, f.Fd())
	}
	pid, err = syscall.ForkExec(c.Path, c.Args, attr)
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSYS):
		return 0, fmt.Errorf("%s: %w", c.Path, ErrPermission)
	case err != nil:
		return 0, &os.PathError{Op: "start", Path: c.Path, Err: err}
	}
	if err := seize(pid); err != nil {
		_ = unix.Kill(pid, unix.SIGKILL) // it has not run an instruction
		_, _ = wait(pid, unix.WALL)
		return 0, fmt.Errorf("%s: %w (%v)", c.Path, ErrPermission, err)
	}
	return pid, nil
}

// seize turns the tracing of a new child into one by seizure.
func seize(pid int) error {
	if status, err := wait(pid, unix.WALL); err != nil || !status.Stopped() {
		return fmt.Errorf("stop at start: %#x, %w", status, err)
	}
	if err := ptrace(unix.PTRACE_DETACH, pid, int(unix.SIGSTOP)); err != nil {
		return err
	}
	if status, err := wait(pid, unix.WALL|unix.WUNTRACED); err != nil || !status.Stopped() {
		return fmt.Errorf("stop by signal: %#x, %w", status, err)
	}
	if err := ptrace(unix.PTRACE_SEIZE, pid, follow); err != nil {
		return err
	}
	return unix.Kill(pid, unix.SIGCONT)
}

// wait waits for a child or tracee.
func wait(pid, options int) (status unix.WaitStatus, err error) {
	for {
		if _, err = unix.Wait4(pid, &status, options, nil); !errors.Is(err, unix.EINTR) {
			return status, err
		}
	}
}

func ptrace(request, pid, data int) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, uintptr(request), uintptr(pid), 0, uintptr(data), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// A forwarder passes signals that reach the caller alone on to the command.
type forwarder struct {
	signals     chan os.Signal
	pid         chan int
	brokenPipes bool // the caller ignores SIGPIPE
}

// passed are the signals that are passed on.
var passed = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2}

// newForwarder takes the signals. It must be there before the command starts:
// the command gets the signals that a caller handles in their default state,
// which is right also for SIGPIPE, and those that it ignores ignored.
func newForwarder(ignored []os.Signal) *forwarder {
	f := &forwarder{make(chan os.Signal, 16), make(chan int, 1), signal.Ignored(unix.SIGPIPE)}
	signal.Notify(f.signals, append(passed[:len(passed):len(passed)], unix.SIGPIPE)...)
	if len(ignored) > 0 {
		signal.Ignore(ignored...)
	}
	go f.forward()
	return f
}

// to says who gets the signals.
func (f *forwarder) to(pid int) { f.pid <- pid }

func (f *forwarder) forward() {
	pid, ok := <-f.pid
	for s := range f.signals {
		if ok && s != unix.SIGPIPE && !(fromTerminal(s) && foreground()) {
			_ = unix.Kill(pid, s.(unix.Signal)) // it may have ended
		}
	}
}

func (f *forwarder) stop() {
	signal.Stop(f.signals)
	if f.brokenPipes {
		signal.Ignore(unix.SIGPIPE)
	}
	close(f.signals)
	close(f.pid)
}

// fromTerminal reports whether a terminal sends a signal: to all processes that
// run in its foreground, so that the command has it already.
func fromTerminal(s os.Signal) bool {
	return s == unix.SIGINT || s == unix.SIGQUIT || s == unix.SIGHUP
}

// foreground reports whether this process runs in the foreground of a terminal.
func foreground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
