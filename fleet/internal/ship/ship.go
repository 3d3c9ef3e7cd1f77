// Package ship implements the registry commands push, pull, promote, rollback, history, list and prune.
package ship

import (
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/profarc/profarc/fleet/internal/durations"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/internal/cli"
)

// Group is the id of the command group.
const Group = "registry"

// Commands returns the commands of the group.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{pushCommand(a), pullCommand(a), promoteCommand(a), rollbackCommand(a), historyCommand(a),
		listCommand(a), pruneCommand(a)}
}

// connection has the flags for the connection to a registry.
type connection struct {
	plainHTTP bool
	timeout   time.Duration
	maxTime   time.Duration
	base      http.RoundTripper // see registry.Options
	flags     *pflag.FlagSet
}

func (c *connection) addFlags(f *pflag.FlagSet) {
	c.flags = f
	f.BoolVar(&c.plainHTTP, "plain-http", false, "speak plain HTTP; on loopback addresses that is the default")
	durations.AddFlag(f, &c.timeout, "timeout", registry.DefaultSilence, "longest `TIME` without a byte from the registry")
	durations.AddFlag(f, &c.maxTime, "max-time", registry.DefaultAll,
		"longest `TIME` of all requests, and a second more for each 32 KiB")
}

func (c *connection) openRepository(reference string) (*registry.Repository, error) {
	if c.timeout <= 0 {
		return nil, cli.Usagef("--timeout %v: give a positive time", c.timeout)
	}
	if c.maxTime <= 0 {
		return nil, cli.Usagef("--max-time %v: give a positive time", c.maxTime)
	}
	o := registry.Options{Silence: c.timeout, All: c.maxTime, Base: c.base}
	if c.flags.Changed("plain-http") {
		o.PlainHTTP = &c.plainHTTP
	}
	r, err := registry.Open(reference, o)
	if _, ok := err.(*registry.ReferenceError); ok {
		return nil, cli.Usagef("%w", err)
	}
	return r, err
}

// shortOf returns the summary of a command in cli.FleetCommands.
func shortOf(name string) string {
	for _, c := range cli.FleetCommands {
		if c.Name == name {
			return c.Short
		}
	}
	return ""
}
