package training

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Run runs a command to its end and gives its status. The error says that it
// was not started, or that it was lost on the way.
func Run(c Command) (status Status, err error) {
	done := make(chan struct{})
	go onThread(func() {
		defer close(done)
		status, err = c.run()
	})
	<-done
	return status, err
}

// onThread runs f on a thread of the system that ends with it: the system knows
// a tracer by its thread, and lets go of all that is still traced when the
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

func (c *Command) run() (Status, error) {
	forward := newForwarder(c.Ignored)
	defer forward.stop()
	pid, err := c.start()
	if err != nil {
		return Status{}, err
	}
	forward.to(pid)
	t := &tracer{command: pid, held: c.Held, read: map[int]bool{}, threaded: map[int]bool{}}
	return t.run()
}
