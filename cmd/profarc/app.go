package main

import (
	"bufio"
	"context"
	"io"

	"github.com/spf13/cobra"
)

// An app is what all commands share: where they read and print.
type app struct {
	in          io.Reader
	out         *bufio.Writer
	errOut      io.Writer
	errTerminal bool // somebody watches errOut
	running     bool // arguments and flags were fine: what fails from now on is no wrong usage
}

// run makes a command's work out of a function.
func (a *app) run(work func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.running = true
		return work(cmd.Context(), args)
	}
}
