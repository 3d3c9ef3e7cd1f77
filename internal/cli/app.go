// Package cli implements the streams, exit codes, error messages, output files and progress bars of the programs
// profarc and profarc-fleet, and opens archives for them.
//
// Each command has its own package, which exports
//
//	func Command(a *cli.App) *cobra.Command
//
// The main package adds it to the root command.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/reader"
)

// An App is the state that all commands share.
//
// Commands print text and JSON to Out and ErrOut, which escape control sequences. Method names, file names and
// quoted input are not trusted.
type App struct {
	Name    string // program name before its errors, "" for profarc
	In      io.Reader
	Out     *bufio.Writer
	ErrOut  io.Writer
	Streams Streams
	// Recognise returns the format of a file. ok is false if import cannot read the file. The error for a file that
	// is not an archive names the format. It can be nil.
	Recognise func(path string) (format string, ok bool)
	// Import imports a file into memory. notArchive is the error of opening it as an archive, which is returned if no
	// importer knows the file. A nil Import means that commands read archives only.
	Import func(ctx context.Context, a *App, path string, notArchive error) (*reader.Store, error)
	// Advice returns advice about an error, or "". It takes precedence over the advice of this package. It can be nil.
	Advice  func(error) string
	JSON    bool   // the flag --json: print JSON instead of text
	Drafts  bool   // also open archives of the last drafts of the format
	command string // full name of the command, such as "profarc import"
	Running bool   // arguments and flags were accepted, so a later error is not a usage error
}

func New(name string, in io.Reader, s Streams) *App {
	return &App{Name: name, In: in, Out: bufio.NewWriter(s.PlainOut), ErrOut: s.PlainErr, Streams: s}
}

func (a *App) Finish() error {
	_ = a.Streams.PlainErr.Close() // this error cannot be reported
	return errors.Join(a.Out.Flush(), a.Streams.PlainOut.Close())
}

func (a *App) Run(work func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.Running = true
		// Nothing touches this memory, so it takes address space only. It counts as live, so that a command with a small
		// heap collects garbage after 32 MB of allocations instead of 4 MB.
		floor := make([]byte, 32<<20)
		defer runtime.KeepAlive(floor)
		return work(cmd.Context(), args)
	}
}

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
