package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// measureArgument makes this program run a command and print its cost. Linux counts the memory of a parent as used by
// its children, so a command must not be started by the search, which grows.
const measureArgument = "-measure-child"

// childCost is what the program with measureArgument prints.
type childCost struct {
	CPU     time.Duration
	Memory  int64
	Output  int
	Failed  bool
	TooLong bool
}

// errFailed is the error of a command that ended with another exit code than 0.
var errFailed = errors.New("the command failed")

// runMeasured returns the cost of a command, with its start.
func runMeasured(program string, args []string) (c cost, err error) {
	self, err := os.Executable()
	if err != nil {
		return c, err
	}
	var out bytes.Buffer
	cmd := exec.Command(self, append([]string{measureArgument, program}, args...)...)
	cmd.Stdout = &out
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return c, err
	}
	var printed childCost
	if err := json.Unmarshal(out.Bytes(), &printed); err != nil {
		return c, err
	}
	c = cost{cpu: printed.CPU, memory: printed.Memory, output: printed.Output}
	switch {
	case printed.TooLong:
		return c, fmt.Errorf("%q %w", args, errTooLong)
	case printed.Failed:
		return c, errFailed
	}
	return c, nil
}

// measureChild runs a command and prints its cost.
func measureChild(program string, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	var out countingWriter
	cmd.Stdout = &out
	cmd.Stderr = io.Discard
	err := cmd.Run()
	printed := childCost{Output: int(out), Failed: err != nil, TooLong: ctx.Err() != nil}
	if state := cmd.ProcessState; state != nil {
		printed.CPU = state.UserTime() + state.SystemTime()
		printed.Memory = int64(residentSize(state))
	}
	json.NewEncoder(os.Stdout).Encode(printed)
}

type countingWriter int

func (w *countingWriter) Write(b []byte) (int, error) {
	*w += countingWriter(len(b))
	return len(b), nil
}
