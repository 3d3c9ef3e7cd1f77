package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A process is one that is read. All its memory is read through read and
// readMany; nothing is ever written.
type process struct {
	pid   int
	begun string // when it began, in clock ticks: tells it from a later one of the same number
}

// openProcess names a process that exists.
func openProcess(pid int) (*process, error) {
	if pid <= 0 {
		return nil, fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	p := &process{pid: pid}
	begun, err := p.startTime()
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	p.begun = begun
	return p, nil
}

// startField is the place of the start time among the fields of
// /proc/PID/stat behind the command's name.
const startField = 19

func (p *process) startTime() (string, error) {
	fields, err := p.stat("/proc/" + strconv.Itoa(p.pid) + "/stat")
	if err != nil || len(fields) <= startField || strings.Contains("ZXx", fields[0]) {
		return "", ErrGone // a zombie has no memory any more
	}
	return fields[startField], nil
}

// stat gives the fields of a stat file behind the command's name, which may
// hold anything.
func (p *process) stat(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])), nil
}

// alive reports whether the process is still the one that was opened.
func (p *process) alive() bool {
	begun, err := p.startTime()
	return err == nil && begun == p.begun
}

// A mapping is a line of /proc/PID/maps.
type mapping struct {
	start, offset uint64
	path          string
}

// mappings gives the files that the process has mapped.
func (p *process) mappings() ([]mapping, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.pid))
	if err != nil {
		return nil, explain(err)
	}
	var all []mapping
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 6 {
			continue
		}
		start, _, _ := strings.Cut(fields[0], "-")
		m := mapping{path: strings.Join(fields[5:], " ")}
		if m.start, err = strconv.ParseUint(start, 16, 64); err != nil {
			continue
		}
		if m.offset, err = strconv.ParseUint(fields[2], 16, 64); err == nil {
			all = append(all, m)
		}
	}
	return all, nil
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
func (p *process) readMany(b []byte, spans []span, missed func(i int)) error {
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
			missed(first)
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
