// Package cli holds what the commands profarc and profarc-fleet share: streams, exit codes,
// error messages, output files, progress, and the opening of archives.
//
// Each group of commands has its own package, which exports
//
//	func Command(a *cli.App) *cobra.Command
//
// and the main package adds it to the root command. Command packages import cli and the
// library; they do not import the main package.
package cli

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// An App is the state that all commands share.
//
// A command prints everything, for people or as JSON, to Out and ErrOut. These escape what a terminal would
// obey, so that no command has to: method names, file names and errors that quote a file come from others.
type App struct {
	Name    string // of the program, in front of its errors; empty for profarc
	In      io.Reader
	Out     *bufio.Writer
	ErrOut  io.Writer
	Streams Streams
	// Recognise returns the name of the format of a file; ok is false if import
	// does not read it. An error about a file that is not an archive names it.
	Recognise func(path string) (format string, ok bool)
	// Advice returns what to do about an error, empty if it knows nothing. It is asked
	// first; errors of a file or an archive need none. It may be nil.
	Advice func(error) string
	// Drafts opens archives of the last drafts of the format too, to convert them.
	Drafts  bool
	command string // that was asked for, with the names of those above it
	// Running reports whether arguments and flags were accepted: an error from then on is not a usage error.
	Running bool
}

// New returns the App of a program that reads from in and prints to s.
func New(name string, in io.Reader, s Streams) *App {
	return &App{Name: name, In: in, Out: bufio.NewWriter(s.PlainOut), ErrOut: s.PlainErr, Streams: s}
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
