package training

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/internal/system/procfs"
	"golang.org/x/sys/unix"
)

// Run runs a command to its end and returns its status. It returns an error if the command could not be started or
// was lost.
func Run(c Command) (status Status, err error) {
	if strconv.IntSize < 64 { // a 32-bit process cannot read a 64-bit JVM
		return Status{}, ErrUnsupported
	}
	procfs.OnThread(func() { status, err = c.runTraced() })
	if errors.Is(err, ErrPermission) && c.Untraced != nil {
		return c.runUntraced()
	}
	return status, err
}

func (c *Command) runTraced() (Status, error) {
	if err := checkReading(); err != nil {
		return Status{}, err
	}
	forward := newForwarder(c.Ignored)
	defer forward.stopForwarding()
	pid, err := c.startSeized()
	if err != nil {
		return Status{}, err
	}
	forward.setTarget(pid)
	if err := unix.Kill(pid, unix.SIGCONT); err != nil {
		return Status{}, err
	}
	t := &tracer{command: pid, held: c.Held, readProcesses: map[int]bool{}, multiThreaded: map[int]bool{},
		execTicks: map[int]uint64{}}
	return t.traceAll()
}

// traceOptions stop a thread also at new processes and threads, which are then traced, too, at its end, and at exec.
const traceOptions = unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACECLONE |
	unix.PTRACE_O_TRACEEXIT | unix.PTRACE_O_TRACEEXEC

// startSeized starts the command, seized and stopped before its first instruction.
//
// A child can only ask to be traced in the old way (PTRACE_TRACEME), which does not distinguish job control stops
// from others. So it is detached at its first instruction, stopped by a signal, and seized while it is stopped.
func (c *Command) startSeized() (pid int, err error) {
	attr := c.processAttr(os.Environ())
	attr.Sys = &syscall.SysProcAttr{Ptrace: true, Pdeathsig: unix.SIGCONT}
	pid, err = syscall.ForkExec(c.Path, c.Args, attr)
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSYS):
		return 0, fmt.Errorf("%s: %w", c.Path, ErrPermission)
	case err != nil:
		return 0, &os.PathError{Op: "start", Path: c.Path, Err: err}
	}
	if err := seizeChild(pid); err != nil {
		_ = unix.Kill(pid, unix.SIGKILL) // it has executed no instruction
		_, _ = waitFor(pid, unix.WALL)
		return 0, fmt.Errorf("%s: %w (%v)", c.Path, ErrPermission, err)
	}
	return pid, nil
}

func seizeChild(pid int) error {
	if status, err := waitFor(pid, unix.WALL); err != nil || !status.Stopped() {
		return fmt.Errorf("stop at start: %#x, %w", status, err)
	}
	if err := ptraceRequest(unix.PTRACE_DETACH, pid, int(unix.SIGSTOP)); err != nil {
		return err
	}
	if status, err := waitFor(pid, unix.WALL|unix.WUNTRACED); err != nil || !status.Stopped() {
		return fmt.Errorf("stop by signal: %#x, %w", status, err)
	}
	return ptraceRequest(unix.PTRACE_SEIZE, pid, traceOptions)
}

func waitFor(pid, options int) (status unix.WaitStatus, err error) {
	for {
		_, err = unix.Wait4(pid, &status, options, nil)
		if !errors.Is(err, unix.EINTR) {
			return status, err
		}
	}
}

func ptraceRequest(request, pid, data int) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, uintptr(request), uintptr(pid), 0, uintptr(data), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

type forwarder struct {
	signals     chan os.Signal
	command     chan *os.Process
	brokenPipes bool // whether the caller ignores SIGPIPE
}

var forwardedSignals = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2}

// newForwarder begins to receive the signals and must be called before the command starts. Signals that the caller
// handles have their default action in the command, as SIGPIPE should, and ignored signals stay ignored.
func newForwarder(ignored []os.Signal) *forwarder {
	f := &forwarder{make(chan os.Signal, 16), make(chan *os.Process, 1), signal.Ignored(unix.SIGPIPE)}
	signal.Notify(f.signals, append(forwardedSignals[:len(forwardedSignals):len(forwardedSignals)], unix.SIGPIPE)...)
	if len(ignored) > 0 {
		signal.Ignore(ignored...)
	}
	go f.forwardSignals()
	return f
}

// setTarget sets the process that receives the signals, which must not have been waited for yet. The process is held by
// a descriptor if the system has these. A late signal then cannot reach another process that has reused the number.
func (f *forwarder) setTarget(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		f.command <- p
	}
}

func (f *forwarder) forwardSignals() {
	p, ok := <-f.command
	for s := range f.signals {
		if ok && s != unix.SIGPIPE && !(fromTerminal(s) && inForeground()) {
			_ = p.Signal(s) // the process may have ended
		}
	}
	if ok {
		_ = p.Release()
	}
}

func (f *forwarder) stopForwarding() {
	signal.Stop(f.signals)
	if f.brokenPipes {
		signal.Ignore(unix.SIGPIPE)
	}
	close(f.signals)
	close(f.command)
}

// fromTerminal reports whether terminals send a signal, which all foreground processes, such as the command, receive.
func fromTerminal(s os.Signal) bool { return s == unix.SIGINT || s == unix.SIGQUIT || s == unix.SIGHUP }

func inForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// checkReading returns ErrPermission if the system call for reading processes is forbidden, as in some containers.
func checkReading() error {
	if _, err := unix.ProcessVMReadv(os.Getpid(), nil, nil, 0); err != nil {
		return ErrPermission
	}
	return nil
}

// runUntraced runs the command where it must not be traced. JVMs that end connect to the listener, if there is one.
func (c *Command) runUntraced() (Status, error) {
	l, env, err := c.Untraced()
	if err != nil {
		return Status{}, err
	}
	forward := newForwarder(c.Ignored)
	defer forward.stopForwarding()
	pid, err := syscall.ForkExec(c.Path, c.Args, c.processAttr(env))
	if err != nil {
		return Status{}, &os.PathError{Op: "start", Path: c.Path, Err: err}
	}
	forward.setTarget(pid)
	if l == nil {
		status, err := waitFor(pid, 0)
		return statusOf(status), err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.holdServed(l, pid)
	}()
	status, err := waitFor(pid, 0)
	_ = l.SetDeadline(time.Now()) // a JVM that ends later is not held
	<-done
	return statusOf(status), err
}

func (c *Command) processAttr(env []string) *syscall.ProcAttr {
	return &syscall.ProcAttr{Dir: c.Dir, Env: env, Files: lists.Map(c.Files[:], (*os.File).Fd)}
}

// holdServed holds each JVM that connects, one after the other, until the deadline of the listener.
func (c *Command) holdServed(l *live.Listener, command int) {
	for {
		s, err := l.AcceptJVM()
		if err != nil {
			return
		}
		pid := s.PID()
		j := JVM{PID: pid, Thread: pid, Args: thread(pid).arguments(), Own: pid == command, Served: s}
		if s.Exit >= 0 {
			j.Status.Code = int(s.Exit)
		}
		c.Held(j)
		_ = s.Close()
	}
}
