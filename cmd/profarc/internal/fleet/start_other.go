//go:build !unix

package fleet

import (
	"context"
	"errors"
	"os/exec"

	"github.com/profarc/profarc/internal/cli"
)

// startProgram runs the program at path, and returns its exit code as an error.
func startProgram(ctx context.Context, a *cli.App, path string, args []string) error {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Args[0] = startedAs
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
