package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is the whole program but for its exit.
func run(args []string) int {
	// A pager that is left early shows as an error of a write, not as the end
	// of the program, so that temporary files are still removed.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once

	return runRoot(ctx, app.New(os.Stdin, app.ProcessStreams()), args)
}

// runRoot runs the command that the arguments name, and returns the exit code.
func runRoot(ctx context.Context, a *app.App, args []string) int {
	root := newRootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if flushed := a.Finish(); err == nil && flushed != nil {
		err, a.Running = flushed, true
	}
	return a.Exit(err)
}
