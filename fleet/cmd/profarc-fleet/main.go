// Profarc-fleet takes archives of execution profiles from the machines that train to those
// that start: through registries and object stores. It is a program of its own, so that
// profarc and the library need none of their clients; "profarc NAME" runs its commands.
package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/internal/cli"
)

// nameOf returns the name of the program for people: profarc if that started it, by its own name.
func nameOf(started string) string {
	if strings.TrimSuffix(filepath.Base(started), ".exe") == "profarc" {
		return "profarc"
	}
	return "profarc-fleet"
}

func main() {
	a := cli.New(nameOf(os.Args[0]), os.Stdin, cli.ProcessStreams())
	os.Exit(a.Main(newRootCommand(a), os.Args[1:]))
}
