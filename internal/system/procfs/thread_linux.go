package procfs

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// OnThread runs f on a thread of the system of its own, and must be called on a new goroutine. The thread
// ends after f. The system knows a tracer by its thread, and releases everything that is still traced when
// the thread ends, also threads that died while they were traced, without which their process could not end.
func OnThread(f func()) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		f()
		return // still locked, so the thread ends with the goroutine
	}
	// The first thread of a program never ends. While it waits, another one is used.
	done := make(chan struct{})
	go func() {
		defer close(done)
		OnThread(f)
	}()
	<-done
	runtime.UnlockOSThread()
}
