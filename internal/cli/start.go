package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"syscall"
)

// Exit codes of shells for commands that cannot be started.
const (
	exitNotRunnable = 126
	exitNotFound    = 127
)

// NotStarted converts the error of starting a user's command to an ExitError with the exit code of a shell. It returns
// errors that do not concern the program file unchanged.
func NotStarted(name string, err error) error {
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return err
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return &ExitError{Code: exitNotFound, Err: fmt.Errorf("%s: there is no such command: check the name", name)}
	case errors.Is(err, syscall.EISDIR):
		return &ExitError{Code: exitNotRunnable, Err: fmt.Errorf("%s: it is a folder: name a program in it", name)}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errNoFormat):
		return &ExitError{Code: exitNotRunnable,
			Err: fmt.Errorf("%s: it is no program that may be run: check who may run it, and that a script "+
				"begins with #! and the name of its shell", name)}
	}
	return err
}
