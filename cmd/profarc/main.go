// Command profarc makes archives of execution profiles, looks into them, and
// checks and measures them. `profarc demo` shows the whole life of one.
package main

import (
	"bufio"
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
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

	a := &app{
		in: os.Stdin, out: bufio.NewWriter(os.Stdout), errOut: os.Stderr,
		errTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
	root := newRootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if flushed := a.out.Flush(); err == nil && flushed != nil {
		err, a.running = flushed, true
	}
	return a.exit(err)
}
