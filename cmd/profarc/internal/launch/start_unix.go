//go:build unix

package launch

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/train"
)

// exec replaces this process by the program: signals, streams and the exit code are then
// the program's own. It returns only if that fails.
func (s start) exec() error {
	// What this process handles gets its default action; what it ignores stays ignored.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // Reset would leave it ignored
	if ignored := train.StartedIgnoring(); len(ignored) > 0 {
		signal.Ignore(ignored...)
	}
	err := syscall.Exec(s.path, s.args, s.environment())
	return app.NotStarted(s.args[0], &os.PathError{Op: "start", Path: s.path, Err: err})
}
