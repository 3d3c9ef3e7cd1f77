package main

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// An app is what all commands share: where they read and print.
//
// Whatever a command prints, for people or as JSON, goes to out and errOut. They
// escape what a terminal would obey, so that no command has to: names, file
// names and errors that quote a file are written by others.
type app struct {
	in      io.Reader
	out     *bufio.Writer
	errOut  io.Writer
	streams streams
	running bool // arguments and flags were fine: what fails from now on is no wrong usage
}

// newApp returns an app that prints to these streams.
func newApp(in io.Reader, s streams) *app {
	return &app{in: in, out: bufio.NewWriter(s.plainOut), errOut: s.plainErr, streams: s}
}

// execute runs the command that the arguments name, and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	root := newRootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if flushed := a.finish(); err == nil && flushed != nil {
		err, a.running = flushed, true
	}
	return a.exit(err)
}

// finish prints what is buffered.
func (a *app) finish() error {
	_ = a.streams.plainErr.Close() // nobody can be told
	return errors.Join(a.out.Flush(), a.streams.plainOut.Close())
}

// run makes a command's work out of a function.
func (a *app) run(work func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.running = true
		return work(cmd.Context(), args)
	}
}
