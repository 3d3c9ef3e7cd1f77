package procfs

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// OnThread runs f on a separate OS thread that ends after f, and waits for f. A ptrace tracer is a thread, and the
// system releases all its tracees when the thread ends. This includes threads that died while they were traced, which
// would otherwise keep their process from ending.
func OnThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			f()
			return // still locked, so the thread ends with the goroutine
		}
		// The main thread never ends. While it waits, f runs on another one.
		OnThread(f)
		runtime.UnlockOSThread()
	}()
	<-done
}
