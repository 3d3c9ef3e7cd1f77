//go:build unix

package fleet

import (
	"context"
	"os"
	"syscall"

	"github.com/profarc/profarc/internal/cli"
)

// startProgram replaces this process with the program at path. It returns only on failure.
func startProgram(_ context.Context, _ *cli.App, path string, args []string) error {
	err := syscall.Exec(path, append([]string{startedAs}, args...), os.Environ())
	return cli.NotStarted(path, &os.PathError{Op: "start", Path: path, Err: err})
}
