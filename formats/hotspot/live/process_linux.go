package live

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/internal/procfs"
)

// A process is one that is read. All its memory is read through read and
// readMany; nothing is ever written.
type process struct {
	pid   int
	begun string // when it began, in clock ticks: tells it from a later one of the same number
	image string // where its program lies: tells it from another that it became (execve)
}

// openProcess names a process that exists.
func openProcess(pid int) (*process, error) {
	if pid <= 0 {
		return nil, fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	p := &process{pid: pid}
	var err error
	p.begun, p.image, err = p.identity()
	return p, p.named(err)
}

// Fields of /proc/PID/stat, counted from the one after the command's name.
const (
	stateField = 0
	startField = 19
	codeField  = 23 // where the program's code begins
	stackField = 25 // where its stack begins: elsewhere in every program
)

// identity reads which process it is, and which program runs in it.
func (p *process) identity() (begun, image string, err error) {
	fields, err := p.stat("/proc/" + strconv.Itoa(p.pid) + "/stat")
	switch {
	case err != nil || len(fields) <= stackField:
		return "", "", ErrNoProcess
	case strings.Contains("ZXx", fields[stateField]):
		return "", "", ErrZombie
	}
	return fields[startField], fields[codeField] + " " + fields[stackField], nil
}

// stat returns the fields of a stat file after the command's name, which may
// hold anything.
func (p *process) stat(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])), nil
}

// alive reports whether the process is still the one that was opened, and runs
// the same program.
func (p *process) alive() bool {
	begun, image, err := p.identity()
	return err == nil && begun == p.begun && image == p.image
}

// A process that is being ended loses its memory a moment before it shows.
const (
	endPolls = 10
	endPause = 2 * time.Millisecond
)

// gone reports whether the process has ended, or does so in a moment.
func (p *process) gone() bool {
	for range endPolls {
		if !p.alive() {
			return true
		}
		time.Sleep(endPause)
	}
	return false
}

// mappings returns the files that the process has mapped.
func (p *process) mappings(ctx context.Context) iter.Seq2[procfs.Mapping, error] {
	return procfs.Mappings(ctx, p.pid)
}

// held is how many bytes of memory the process holds: those in RAM, of whatever
// kind of page, and those that are swapped out.
func (p *process) held() (bytes int64) {
	for _, field := range []string{"VmRSS", "VmSwap", "HugetlbPages"} {
		text, unit, _ := strings.Cut(procfs.Status(p.pid, field), " ")
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && unit == "kB" {
			bytes += n << 10
		}
	}
	return bytes
}

// read fills b with the process's memory at addr. The error is errFault if not
// all of it is mapped.
func (p *process) read(b []byte, addr uint64) error {
	if len(b) == 0 {
		return nil
	}
	n, err := p.readv(b, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(b)}})
	if err == nil && n < len(b) {
		err = errFault
	}
	return err
}

// readv fills b with the spans of remote, one behind the other, and gives how
// many bytes it got before the first that is not mapped.
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
		return 0, explain(err)
	}
	return n, nil
}

// maxVectors is the most spans that one call may take (IOV_MAX).
const maxVectors = 1024

// readMany fills b with the memory of spans, one behind the other. Spans that
// are not wholly mapped are reported by missed, and their bytes are zeros.
func (p *process) readMany(b []byte, spans []span, missed func(i int) error) error {
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

// explain turns what the system says into an error of this package, which does
// not name the process: see named.
func explain(err error) error {
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
