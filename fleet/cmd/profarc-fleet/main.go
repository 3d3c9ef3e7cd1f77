// Profarc-fleet takes archives of execution profiles from the machines that train to those
// that start: through registries and object stores. It is a program of its own, so that
// profarc and the library need none of their clients; "profarc NAME" runs its commands.
package main

import (
	"os"

	"github.com/profarc/profarc/internal/cli"
)

func main() {
	a := cli.New("profarc-fleet", os.Stdin, cli.ProcessStreams())
	os.Exit(a.Main(newRootCommand(a), os.Args[1:]))
}
