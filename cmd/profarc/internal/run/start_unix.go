//go:build unix

package run

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
	"github.com/profarc/profarc/cmd/profarc/internal/train"
	"github.com/profarc/profarc/internal/cli"
)

// replaceProcess replaces this process with the program, which keeps its signals, streams and exit code. It returns
// only on failure.
func replaceProcess(s javacommand.Start) error {
	// Handled signals get their default action; ignored ones stay ignored.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // Reset would leave it ignored
	if ignored := train.StartedIgnoring(); len(ignored) > 0 {
		signal.Ignore(ignored...)
	}
	err := syscall.Exec(s.Path, s.Args, s.Environment())
	return cli.NotStarted(s.Args[0], &os.PathError{Op: "start", Path: s.Path, Err: err})
}
