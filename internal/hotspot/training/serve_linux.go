package training

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/internal/hotspot/live"
)

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
	attr := &syscall.ProcAttr{Dir: c.Dir, Env: env}
	for _, f := range c.Files {
		attr.Files = append(attr.Files, f.Fd())
	}
	return attr
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
