//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// A vm is a process that has used an archive, and keeps it mapped until it is stopped.
type vm struct {
	cmd   *exec.Cmd
	input io.Closer
	pid   int
}

// startProcess starts a VM.
func startProcess(ctx context.Context, mode, archive string, functions int) (*vm, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return newVM(exec.CommandContext(ctx, self, "-"+mode, archive, "-functions", strconv.Itoa(functions)))
}

// newVM starts a command, and waits until it is ready.
func newVM(cmd *exec.Cmd) (*vm, error) {
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	v := &vm{cmd, input, cmd.Process.Pid}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, errors.Join(fmt.Errorf("%q: %w", line, err), v.stop())
	}
	return v, nil
}

// stop lets the process end, which waits for the end of its input.
func (v *vm) stop() error {
	v.input.Close()
	return v.cmd.Wait()
}
