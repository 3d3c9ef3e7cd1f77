package training

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// follow is what tracing stops for, besides signals: new processes and
// threads, which are traced from then on, and the ends of threads.
const follow = unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEEXIT

// start starts the command, seized before its first instruction.
//
// A child can only ask to be traced in the old way (PTRACE_TRACEME), in which
// its stops by job control cannot be told from others. So it is let go at its
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
		return 0, fmt.Errorf("%s: %w: %w", c.Path, ErrPermission, err)
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
