//go:build !unix

package fleet

import (
	"context"
	"errors"
	"os/exec"

	"github.com/profarc/profarc/internal/cli"
)

// start runs the program at path, and ends with its exit code.
func start(ctx context.Context, a *cli.App, path string, args []string) error {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Args[0] = asName
	cmd.Stdin = a.In
	cmd.Stdout = a.Streams.RawOut
	cmd.Stderr = a.Streams.RawErr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &cli.ExitError{Code: exit.ExitCode()}
	}
	return err
}
