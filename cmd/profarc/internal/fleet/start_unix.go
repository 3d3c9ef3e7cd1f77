//go:build unix

package fleet

import (
	"context"
	"os"
	"syscall"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
)

// start makes this process the program at path. It returns only if that fails.
func start(_ context.Context, _ *app.App, path string, args []string) error {
	err := syscall.Exec(path, append([]string{Program}, args...), os.Environ())
	return app.NotStarted(path, &os.PathError{Op: "start", Path: path, Err: err})
}
