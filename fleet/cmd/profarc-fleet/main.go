// Profarc-fleet distributes and merges archives of execution profiles through registries and object stores. It is a
// separate program, so that profarc and the library do not depend on their clients. "profarc NAME" runs its commands.
package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/cli/formatadvice"
)

// nameOf returns the program name for messages. It is profarc if profarc started this program with its own name.
func nameOf(started string) string {
	if strings.TrimSuffix(filepath.Base(started), ".exe") == "profarc" {
		return "profarc"
	}
	return "profarc-fleet"
}

func main() {
	a := cli.New(nameOf(os.Args[0]), os.Stdin, cli.ProcessStreams())
	a.Advice = formatadvice.Errors.For
	os.Exit(a.Main(newRootCommand(a), os.Args[1:]))
}
