// Profarc-pull fetches archives of execution profiles from registries. It is the command pull of profarc-fleet in a
// small program, which needs no clients of object stores. "profarc pull" runs it where it is installed.
package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/fleet/internal/ship"
	"github.com/profarc/profarc/internal/cli"
)

func main() {
	name, command := "profarc-pull", "profarc-pull"
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "profarc" {
		name, command = "profarc", "profarc pull"
	}
	a := cli.New(name, os.Stdin, cli.ProcessStreams())
	os.Exit(a.Main(ship.PullProgram(a, command), os.Args[1:]))
}
