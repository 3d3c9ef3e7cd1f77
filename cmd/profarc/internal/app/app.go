// Package app holds what all commands of profarc share: streams, exit codes,
// messages of errors, output files, progress, and how archives are opened.
//
// Each group of commands has its own package, which exports
//
//	func Command(a *app.App) *cobra.Command
//
// and the main package adds it to the root command. Command packages import app,
// methods and the library; they do not import the main package.
package app

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// An App is the state that all commands share.
//
// A command prints everything, for people or as JSON, to Out and ErrOut. These
// escape what a terminal would obey, so that no command has to: method names,
// file names and errors that quote a file come from others.
type App struct {
	In      io.Reader
	Out     *bufio.Writer
	ErrOut  io.Writer
	Streams Streams
	// Recognise returns the name of the format of a file; ok is false if import
	// does not read it. An error about a file that is not an archive names it.
	Recognise func(path string) (format string, ok bool)
	// Running reports whether arguments and flags were accepted: an error from
	// then on is not a usage error.
	Running bool
}

// New returns an App that reads from in and prints to s.
func New(in io.Reader, s Streams) *App {
	return &App{In: in, Out: bufio.NewWriter(s.PlainOut), ErrOut: s.PlainErr, Streams: s}
}

// Finish flushes Out and ErrOut.
func (a *App) Finish() error {
	_ = a.Streams.PlainErr.Close() // there is nowhere left to report it
	return errors.Join(a.Out.Flush(), a.Streams.PlainOut.Close())
}

// Run returns work as the RunE of a command.
func (a *App) Run(work func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.Running = true
		return work(cmd.Context(), args)
	}
}
