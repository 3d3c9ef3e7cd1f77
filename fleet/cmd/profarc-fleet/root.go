package main

import (
	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/mergecommands"
	"github.com/profarc/profarc/fleet/internal/ship"
	"github.com/profarc/profarc/fleet/internal/watchcommand"
	"github.com/profarc/profarc/internal/cli"
)

// newRootCommand returns profarc-fleet's root command with all commands. Each has a row in
// cli.FleetCommands, whose text it shows, so that profarc lists and runs it too.
func newRootCommand(a *cli.App) *cobra.Command {
	root := &cobra.Command{
		Use:   a.Name,
		Short: "Archives of execution profiles in registries and object stores",
		Long: `profarc-fleet takes archives of execution profiles (.parc) from the machines that train to
those that start. "profarc NAME" runs its commands too.`,
	}
	root.AddGroup(
		&cobra.Group{ID: ship.Group, Title: "Archives in registries:"},
		&cobra.Group{ID: "merge", Title: "Merging at scale:"},
	)
	root.AddCommand(ship.Commands(a)...)
	root.AddCommand(mergecommands.Commands(a)...)
	root.AddCommand(watchcommand.Command(a))
	a.CompleteRoot(root)
	return root
}
