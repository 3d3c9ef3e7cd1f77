package main

import (
	"context"
	"os"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is main without the exit, and returns the exit code.
func run(args []string) int {
	a := app.New(os.Stdin, app.ProcessStreams())
	return a.Main(newRootCommand(a), args)
}

// runRoot runs the command that args name, and returns the exit code.
func runRoot(ctx context.Context, a *app.App, args []string) int {
	return a.Execute(ctx, newRootCommand(a), args)
}
