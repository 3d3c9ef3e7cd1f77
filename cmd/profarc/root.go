package main

import (
	_ "embed"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/agentcmd"
	"github.com/profarc/profarc/cmd/profarc/internal/check"
	"github.com/profarc/profarc/cmd/profarc/internal/demo"
	"github.com/profarc/profarc/cmd/profarc/internal/diff"
	"github.com/profarc/profarc/cmd/profarc/internal/dump"
	"github.com/profarc/profarc/cmd/profarc/internal/export"
	"github.com/profarc/profarc/cmd/profarc/internal/fleet"
	"github.com/profarc/profarc/cmd/profarc/internal/gate"
	imports "github.com/profarc/profarc/cmd/profarc/internal/import"
	"github.com/profarc/profarc/cmd/profarc/internal/info"
	"github.com/profarc/profarc/cmd/profarc/internal/mergecmd"
	"github.com/profarc/profarc/cmd/profarc/internal/reducecmd"
	"github.com/profarc/profarc/cmd/profarc/internal/run"
	"github.com/profarc/profarc/cmd/profarc/internal/show"
	"github.com/profarc/profarc/cmd/profarc/internal/top"
	"github.com/profarc/profarc/cmd/profarc/internal/train"
	"github.com/profarc/profarc/cmd/profarc/internal/verifycmd"
	"github.com/profarc/profarc/cmd/profarc/internal/warm"
	"github.com/profarc/profarc/cmd/profarc/internal/web"
	"github.com/profarc/profarc/internal/cli"
)

//go:embed help.txt
var helpText string

func newRootCommand(a *cli.App) *cobra.Command {
	a.Recognise = imports.Recognise
	a.Import = imports.OpenProfile
	cmd := &cobra.Command{Use: "profarc", Short: "Archives of execution profiles"}
	cli.SetHelp(cmd, helpText)
	addGroup(cmd, "Make archives:", demo.Command(a), train.Command(a), dump.Command(a), imports.Command(a),
		mergecmd.Command(a), reducecmd.Command(a))
	addGroup(cmd, "Use them:", run.Command(a), agentcmd.Command(a), export.Command(a))
	addGroup(cmd, "Look at them:", info.Command(a), top.Command(a), show.Command(a), diff.Command(a),
		web.Command(a))
	addGroup(cmd, "Judge and measure them:", verifycmd.Command(a), check.Command(a), gate.Command(a), warm.Command(a))
	addGroup(cmd, "About profarc:", demo.DeployCommand(a), a.VersionCommand())
	cmd.SetHelpCommandGroupID("About profarc:")
	cmd.SetCompletionCommandGroupID("About profarc:")
	fleet.AddCommands(a, cmd)
	a.CompleteRoot(cmd)
	return cmd
}

func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}
