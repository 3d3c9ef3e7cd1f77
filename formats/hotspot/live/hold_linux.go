package live

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A process is held by tracing all its threads (PTRACE_SEIZE, PTRACE_INTERRUPT),
// not by a SIGSTOP: if this process dies, even by SIGKILL, the system lets the
// other go on by itself; its parent and its shell notice nothing; and a process
// that somebody else has stopped stays stopped afterwards.

// A holding is a process whose threads all stand still.
type holding struct {
	p       *process
	threads map[int]unix.Signal // seized; the signal that it waits for, or 0
	begun   time.Time
	lasted  time.Duration
}

const (
	// A thread that takes longer sits in the kernel, or waits for a processor.
	seizeLimit = 50 * time.Millisecond
	seizePause = 20 * time.Microsecond
	maxThreads = 1 << 16
)

// hold holds the process while use runs, and lets it go whatever happens.
func (p *process) hold(use func(h *holding) error) error {
	done := make(chan error)
	go p.trace(use, done)
	return <-done
}

// trace holds the process in a thread of its own, which ends with this
// goroutine because it stays locked: the system then lets go of everything that
// is still traced, threads that died while they were held among them, whose
// process could not end otherwise. The first thread of a program never ends, so
// if this is it, it waits for another.
func (p *process) trace(use func(h *holding) error, done chan<- error) {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		other := make(chan error)
		go p.trace(use, other)
		err := <-other
		runtime.UnlockOSThread()
		done <- err
		return
	}
	done <- p.whileHeld(use)
}

func (p *process) whileHeld(use func(h *holding) error) error {
	h := &holding{p: p, threads: map[int]unix.Signal{}, begun: time.Now()}
	defer h.release()
	if err := h.seizeAll(); err != nil {
		return err
	}
	return use(h)
}

// seizeAll stops all threads. A running one may make another, so it looks until
// there is no new one.
func (h *holding) seizeAll() error {
	for {
		fresh, err := h.seizeNew()
		if err != nil || fresh == 0 {
			return err
		}
		if err := h.await(seizeLimit); err != nil {
			return err
		}
	}
}

// seizeNew seizes the threads that are not seized yet and tells them to stop.
func (h *holding) seizeNew() (fresh int, err error) {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", h.p.pid))
	if err != nil || len(tasks) > maxThreads {
		return 0, explain(errors.Join(err, unix.ESRCH))
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if _, have := h.threads[tid]; have || err != nil {
			continue
		}
		if err := unix.PtraceSeize(tid); err != nil {
			if errors.Is(err, unix.ESRCH) || h.ended(tid) {
				continue // the thread has just ended
			}
			return 0, cmp.Or(tracedBy(tid), explain(err))
		}
		h.threads[tid] = running
		fresh++
		_ = unix.PtraceInterrupt(tid) // fails for a thread that ends, which await sees
	}
	return fresh, nil
}

// ended reports whether a thread is a zombie or gone: it cannot be seized.
func (h *holding) ended(tid int) bool {
	fields, err := h.p.stat(fmt.Sprintf("/proc/%d/task/%d/stat", h.p.pid, tid))
	return err != nil || len(fields) == 0 || fields[0] == "Z" || fields[0] == "X"
}

// running marks a thread that was told to stop and has not yet.
const running = unix.Signal(-1)

// await waits until all seized threads stand still.
func (h *holding) await(limit time.Duration) error {
	end := time.Now().Add(limit)
	for tid, state := range h.threads {
		for state == running {
			var status unix.WaitStatus
			got, err := unix.Wait4(tid, &status, unix.WALL|unix.WNOHANG, nil)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil, got == tid && !status.Stopped():
				delete(h.threads, tid) // it has ended
				state = 0
			case got == tid:
				state = waiting(status)
				h.threads[tid] = state
			case time.Now().After(end):
				return errBusy
			default:
				time.Sleep(seizePause)
			}
		}
	}
	return nil
}

// errBusy: a thread did not stop in time.
var errBusy = errors.New("a thread did not stop")

// waiting is the signal that a stopped thread was about to take, 0 if it
// stopped because it was told to.
func waiting(status unix.WaitStatus) unix.Signal {
	const eventStop = 128 // PTRACE_EVENT_STOP
	if int(status)>>16 == eventStop {
		return 0
	}
	return status.StopSignal()
}

// release lets all threads go on, each with the signal that it waited for.
func (h *holding) release() {
	if h.threads == nil {
		return
	}
	for tid, signal := range h.threads {
		if signal != running {
			h.detach(tid, signal)
			delete(h.threads, tid)
		}
	}
	h.lasted = time.Since(h.begun)
	h.releaseLate()
	h.threads = nil
}

// lateLimit is how long a thread is waited for that did not stop in time, so
// that it can be let go here and now. All others go on already; and later the
// system lets it go, when the tracing thread ends.
const lateLimit = time.Second

func (h *holding) releaseLate() {
	if len(h.threads) > 0 && h.await(lateLimit) == nil {
		for tid, signal := range h.threads {
			h.detach(tid, signal)
		}
	}
}

func (h *holding) detach(tid int, signal unix.Signal) {
	// An error means that the thread is gone, and with it the need.
	_, _, _ = unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(tid), 0, uintptr(signal), 0, 0)
}
