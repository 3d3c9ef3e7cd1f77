package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/internal/system/procfs"
)

type process struct {
	pid   int
	begun string // start in clock ticks; differs from a later process with the same number
	image string // addresses of its program; differ after an execve
}

func openProcess(pid int) (*process, error) {
	if pid <= 0 {
		return nil, fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	if strconv.IntSize < 64 { // a 32-bit process cannot read a 64-bit JVM's memory
		return nil, ErrUnsupported
	}
	p := &process{pid: pid}
	var err error
	p.begun, p.image, err = p.readIdentity()
	return p, p.addProcess(err)
}

// openPeer opens the process at the other end of a socket.
func openPeer(conn *net.UnixConn) (*process, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	var peer *unix.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	return openProcess(int(peer.Pid)) // 0 for a process of another container
}

// sendQuit sends SIGQUIT if the process has a handler. A JVM does not have one yet while it starts, and would end.
func (p *process) sendQuit() error {
	caught, _ := strconv.ParseUint(procfs.StatusField(p.pid, "SigCgt"), 16, 64)
	if caught&(1<<(unix.SIGQUIT-1)) == 0 {
		return errors.New("it handles no SIGQUIT, as with -Xrs, so it cannot load the agent")
	}
	return translateError(unix.Kill(p.pid, unix.SIGQUIT))
}

// Indexes in procfs.StatFields.
const (
	stateField = 0
	codeField  = 23 // start address of the program's code
	stackField = 25 // start address of its stack, which differs in every program
)

func (p *process) readIdentity() (begun, image string, err error) {
	fields, err := procfs.StatFields(p.procPath("stat"))
	switch {
	case err != nil || len(fields) <= stackField:
		return "", "", ErrNoProcess
	case strings.Contains("ZXx", fields[stateField]):
		return "", "", ErrZombie
	}
	return fields[procfs.StartField], fields[codeField] + " " + fields[stackField], nil
}

func (p *process) isAlive() bool {
	begun, image, err := p.readIdentity()
	return err == nil && begun == p.begun && image == p.image
}

// A process that ends loses its memory a moment before its state changes.
const (
	endPolls = 10
	endPause = 2 * time.Millisecond
)

func (p *process) isGone() bool {
	for range endPolls {
		if !p.isAlive() {
			return true
		}
		time.Sleep(endPause)
	}
	return false
}

func (p *process) mappings(ctx context.Context) iter.Seq2[procfs.Mapping, error] {
	return procfs.Mappings(ctx, p.pid)
}

// heldBytes returns the bytes of memory that the process holds: in RAM, huge pages included, and swapped out.
func (p *process) heldBytes() (bytes int64) {
	for _, field := range []string{"VmRSS", "VmSwap", "HugetlbPages"} {
		text, unit, _ := strings.Cut(procfs.StatusField(p.pid, field), " ")
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && unit == "kB" {
			bytes += n << 10
		}
	}
	return bytes
}

func (p *process) readAt(b []byte, addr uint64) error {
	n, err := p.readv(b, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(b)}})
	if err == nil && n < len(b) {
		err = errFault
	}
	return err
}

func (p *process) readv(b []byte, remote []unix.RemoteIovec) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(len(b))
	n, err := unix.ProcessVMReadv(p.pid, local, remote, 0)
	if errors.Is(err, unix.EFAULT) {
		return 0, nil
	}
	if err != nil {
		return 0, translateError(err)
	}
	return n, nil
}

// maxVectors limits the spans of one call (IOV_MAX).
const maxVectors = 1024

func (p *process) readSpans(b []byte, spans []span, missed func(i int) error) error {
	for first := 0; first < len(spans); {
		last := min(first+maxVectors, len(spans))
		remote := make([]unix.RemoteIovec, 0, last-first)
		size := 0
		for _, s := range spans[first:last] {
			remote = append(remote, unix.RemoteIovec{Base: uintptr(s.addr), Len: s.size})
			size += s.size
		}
		n, err := p.readv(b[:size], remote)
		if err != nil {
			return err
		}
		for ; first < last && n >= spans[first].size; first++ {
			n -= spans[first].size
			b = b[spans[first].size:]
		}
		if first < last {
			clear(b[:spans[first].size])
			if err := missed(first); err != nil {
				return err
			}
			b = b[spans[first].size:]
			first++
		}
	}
	return nil
}

// largePages asks the system for large pages for a new buffer, which makes filling it three times as fast.
func largePages(b []byte) []byte {
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // fails on systems without them
	return b
}

func translateError(err error) error {
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, fs.ErrNotExist):
		return ErrGone
	case errors.Is(err, unix.EPERM), errors.Is(err, fs.ErrPermission):
		return ErrPermission
	case errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("this system or its sandbox lacks process_vm_readv: %w", ErrPermission)
	}
	return err
}

// A process is held by tracing all its threads (PTRACE_SEIZE, PTRACE_INTERRUPT) rather than by SIGSTOP. If this
// process dies, even by SIGKILL, the system releases the other one. Its parent and its shell notice nothing, and a
// stopped process remains stopped afterwards.

type holding struct {
	p       *process
	threads map[int]unix.Signal // pending signals of seized threads, 0 for none
	begun   time.Time
	lasted  time.Duration
	resume  func() // ends holding of a VM that serves its memory; nil otherwise
}

const (
	// A thread that takes longer is in the kernel or waits for a processor.
	seizeLimit = 50 * time.Millisecond
	seizePause = 20 * time.Microsecond
	maxThreads = 1 << 16
)

func (p *process) holdWhile(use func(h *holding) error) (err error) {
	procfs.OnThread(func() { err = p.whileHeld(use) })
	return err
}

func (p *process) whileHeld(use func(h *holding) error) error {
	h := &holding{p: p, threads: map[int]unix.Signal{}, begun: time.Now()}
	defer h.releaseThreads()
	if err := h.seizeAll(); err != nil {
		return err
	}
	return use(h)
}

// seizeAll stops all threads. A running thread may start another one, so it repeats until there is no new one.
func (h *holding) seizeAll() error {
	for {
		fresh, err := h.seizeNew()
		if err != nil || fresh == 0 {
			return err
		}
		if err := h.awaitStops(seizeLimit); err != nil {
			return err
		}
	}
}

func (h *holding) seizeNew() (fresh int, err error) {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", h.p.pid))
	if err != nil || len(tasks) > maxThreads {
		return 0, translateError(errors.Join(err, unix.ESRCH))
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if _, have := h.threads[tid]; have || err != nil {
			continue
		}
		if err := unix.PtraceSeize(tid); err != nil {
			if errors.Is(err, unix.ESRCH) || h.hasEnded(tid) {
				continue // the thread has just ended
			}
			return 0, cmp.Or(tracedBy(tid), translateError(err))
		}
		h.threads[tid] = running
		fresh++
		_ = unix.PtraceInterrupt(tid) // fails for a thread that ends, which awaitStops sees
	}
	return fresh, nil
}

// hasEnded reports whether a thread is a zombie or gone, and thus cannot be seized.
func (h *holding) hasEnded(tid int) bool {
	fields, err := procfs.StatFields(fmt.Sprintf("/proc/%d/task/%d/stat", h.p.pid, tid))
	return err != nil || len(fields) == 0 || fields[0] == "Z" || fields[0] == "X"
}

// running marks an interrupted thread that has not stopped yet.
const running = unix.Signal(-1)

func (h *holding) awaitStops(limit time.Duration) error {
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
				state = pendingSignal(status)
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

var errBusy = errors.New("a thread did not stop")

// pendingSignal returns the signal that a stopped thread was about to receive, 0 if it was only interrupted.
func pendingSignal(status unix.WaitStatus) unix.Signal {
	const eventStop = 128 // PTRACE_EVENT_STOP
	if int(status)>>16 == eventStop {
		return 0
	}
	return status.StopSignal()
}

func (h *holding) releaseThreads() {
	if h.resume != nil {
		h.resume()
		h.resume = nil
		h.lasted = time.Since(h.begun)
	}
	if h.threads == nil {
		return
	}
	h.detachStopped()
	h.lasted = time.Since(h.begun)
	if len(h.threads) > 0 && h.awaitStops(lateLimit) == nil {
		h.detachStopped()
	}
	h.threads = nil
}

// lateLimit is the time for which releaseThreads waits for threads that did not stop in time. All others already run,
// and the system releases these when the tracing thread ends.
const lateLimit = time.Second

func (h *holding) detachStopped() {
	for tid, signal := range h.threads {
		if signal != running {
			// An error means that the thread has ended.
			_, _, _ = unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(tid), 0, uintptr(signal), 0, 0)
			delete(h.threads, tid)
		}
	}
}

func tracedBy(tid int) error {
	tracer := procfs.StatusField(tid, "TracerPid") // thread id
	id, err := strconv.Atoi(tracer)
	if err != nil || id == 0 {
		return nil
	}
	if pid := procfs.StatusField(id, "Tgid"); pid != "" {
		return fmt.Errorf("%w %s (%s)", ErrTraced, pid, procfs.StatusField(id, "Name"))
	}
	return fmt.Errorf("%w %s", ErrTraced, tracer) // tracer in another PID namespace
}
