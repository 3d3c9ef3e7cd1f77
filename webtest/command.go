package webtest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A Command is a built profarc.
type Command struct{ path string }

// Build builds the command to a folder, from the main module next to this one.
func Build(ctx context.Context, folder string) (*Command, error) {
	c := &Command{filepath.Join(folder, "profarc")}
	if runtime.GOOS == "windows" {
		c.path += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", c.path, "./cmd/profarc")
	top, err := moduleFolder()
	if err != nil {
		return nil, err
	}
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w: %s", err, out)
	}
	return c, nil
}

// moduleFolder returns the folder of profarc's main module.
func moduleFolder() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/profarc/profarc").Output()
	return strings.TrimSpace(string(out)), err
}

// Run runs the command with arguments and returns its output.
func (c *Command) Run(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, c.path, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("profarc %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// Serve runs profarc web until ctx is done, and returns the address of its first page, which ends in a slash. stopped
// waits for the end of the command.
func (c *Command) Serve(ctx context.Context, args ...string) (address string, stopped func(), err error) {
	served := exec.CommandContext(ctx, c.path, append([]string{"web"}, args...)...)
	served.Cancel = func() error { return served.Process.Signal(os.Interrupt) }
	var said strings.Builder
	served.Stderr = &said
	out, err := served.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := served.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = served.Wait()
		return "", nil, fmt.Errorf("profarc web %s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(line), func() { _ = served.Wait() }, nil
}
