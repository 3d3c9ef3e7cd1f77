package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is main without the exit, and returns the exit code.
func run(args []string) int {
	ignorePipes()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the process

	return runRoot(ctx, app.New(os.Stdin, app.ProcessStreams()), args)
}

// runRoot runs the command that args name, and returns the exit code.
func runRoot(ctx context.Context, a *app.App, args []string) int {
	root := newRootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if flushed := a.Finish(); err == nil && flushed != nil {
		err, a.Running = flushed, true
	}
	return a.Exit(err)
}
