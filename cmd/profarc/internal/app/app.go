// Package app holds what the commands of profarc share beyond package cli: what to do about
// errors of formats, what a format has lost, and how much is printed. It has the names of cli
// that they use.
package app

import (
	"context"
	"io"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/naming"
	"github.com/profarc/profarc/reader"
)

type (
	// App is the state that all commands share.
	App = cli.App
	// Streams are the output streams of a process.
	Streams = cli.Streams
	// Meter shows the progress of long work on a terminal.
	Meter = cli.Meter
	// ExitError ends profarc with an exit code.
	ExitError = cli.ExitError
	// UsageError is the error of wrong usage.
	UsageError = cli.UsageError
)

// See package cli.
const (
	ArchiveExtension = cli.ArchiveExtension
	ExitOK           = cli.ExitOK
	ExitFailure      = cli.ExitFailure
)

// See package cli.
var (
	ProcessStreams    = cli.ProcessStreams
	Args              = cli.Args
	CompleteArchives  = cli.CompleteArchives
	SplitClassPath    = cli.SplitClassPath
	CheckShare        = cli.CheckShare
	CheckArchiveName  = cli.CheckArchiveName
	CheckOutput       = cli.CheckOutput
	IsStream          = cli.IsStream
	ContextWriter     = cli.ContextWriter
	NotStarted        = cli.NotStarted
	OneLine           = cli.OneLine
	FormatPercent     = cli.FormatPercent
	FormatPercentDown = cli.FormatPercentDown
	FormatID          = naming.IDText
	FormatHash        = cli.FormatHash
	FormatSize        = cli.FormatSize
	FormatDuration    = cli.FormatDuration
	Shorten           = cli.Shorten
	Note              = cli.Note
	Share             = cli.Share
)

// New returns the App of profarc, which reads from in and prints to s.
func New(in io.Reader, s Streams) *App {
	a := cli.New("profarc", in, s)
	a.Advice = adviceFor
	return a
}

// Message returns an error as users read it: what is wrong, and what to do.
func Message(err error) string { return cli.Message(err, adviceFor) }

// Usagef returns a UsageError with a formatted text.
func Usagef(format string, args ...any) error { return cli.Usagef(format, args...) }

// Amount returns a number with its noun: "1 archive", "3 archives".
func Amount[N int | uint64](n N, what string) string { return cli.Amount(n, what) }

// CloseOnInterrupt closes an archive once ctx is done, unless release was called before.
func CloseOnInterrupt(ctx context.Context, s *reader.Store) (release func() bool) {
	return cli.CloseOnInterrupt(ctx, s)
}

// AllProfiles returns every profile of an archive, all of them checked.
func AllProfiles(s *reader.Store) ([]reader.Profile, error) { return cli.AllProfiles(s) }

// Publish creates or replaces the file at path with what write writes, in one step.
func Publish(ctx context.Context, path string, write func(w io.Writer) error) error {
	return cli.Publish(ctx, path, write)
}

// PublishPrivate is like Publish for a file that only its owner may read.
func PublishPrivate(ctx context.Context, path string, write func(w io.Writer) error) error {
	return cli.PublishPrivate(ctx, path, write)
}
