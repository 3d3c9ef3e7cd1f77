package main

import (
	"os"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/fleet"
	"github.com/profarc/profarc/internal/cli"
)

func main() { os.Exit(runMain(os.Args[1:])) }

// runMain is main without exiting, and returns the exit code.
func runMain(args []string) int {
	a := app.New(os.Stdin, cli.ProcessStreams())
	root := newRootCommand(a)
	fleet.PassCompletion(a, root, args)
	return a.Main(root, args)
}
