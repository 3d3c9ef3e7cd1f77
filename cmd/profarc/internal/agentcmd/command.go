// Package agentcmd implements the command agent, which builds and installs the agent for HotSpot.
package agentcmd

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
	"github.com/profarc/profarc/internal/names/escape"
)

var (
	//go:embed help.txt
	helpText string
	//go:embed install.txt
	installHelp string
	//go:embed path.txt
	pathHelp string
	//go:embed builds.txt
	buildsHelp string
)

func Command(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Build and install the agent that gives profiles to a JVM",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("there is no command %q of agent: use install, path or builds", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cli.SetHelp(cmd, helpText)
	cmd.AddCommand(installCommand(a), pathCommand(a), buildsCommand(a))
	return cmd
}

func installCommand(a *cli.App) *cobra.Command {
	var named string
	cmd := a.NewCommand(installHelp, cli.Args(0, 1, "the folder to install into, or none for the cache"),
		func(ctx context.Context, args []string) error { return installAgent(ctx, a, named, args) },
		"{library}", agentlib.Name)
	addAgentFlag(cmd, &named)
	a.AddJSONFlag(cmd)
	return cmd
}

func pathCommand(a *cli.App) *cobra.Command {
	var named string
	cmd := a.NewCommand(pathHelp, cli.Args(0, 0, "none"), func(ctx context.Context, _ []string) error {
		path, err := LibraryBuilder(a, false).Find(ctx, named)
		if err == nil {
			fmt.Fprintln(a.Out, path)
		}
		return err
	})
	addAgentFlag(cmd, &named)
	return cmd
}

func addAgentFlag(cmd *cobra.Command, named *string) {
	cmd.Flags().StringVar(named, "agent", "", "library of the agent to use instead of building one")
}

// LibraryBuilder returns the builder of the agent's library. Unless quiet, it prints a line on stderr when a compiler
// runs.
func LibraryBuilder(a *cli.App, quiet bool) *agentlib.Build {
	return &agentlib.Build{Begin: func(compiler string) {
		if !quiet {
			fmt.Fprintf(a.ErrOut, "profarc: building the agent with %s, this once\n", escape.Printable(compiler))
		}
	}}
}

type installReport struct {
	Library string `json:"library"`
	Flag    string `json:"flag"` // flag of java that loads the library, with the archive app.parc
}

func installAgent(ctx context.Context, a *cli.App, named string, args []string) (err error) {
	var r installReport
	if b := LibraryBuilder(a, false); len(args) > 0 {
		r.Library, err = b.Install(ctx, named, args[0])
	} else {
		r.Library, err = b.Find(ctx, named)
	}
	if err != nil {
		return err
	}
	r.Flag, err = (agentlib.Options{Archive: "app.parc"}).AgentPathFlag(r.Library)
	if err != nil {
		return err
	}
	return a.Print(r, func() {
		fmt.Fprintln(a.Out, escape.Printable(r.Library))
		fmt.Fprintln(a.Out, escape.Printable(r.Flag))
	})
}

type testedBuild struct {
	Release int    `json:"release"`
	Version string `json:"version"`
	Vendor  string `json:"vendor"`
	Ran     string `json:"ran"`
}

// testedBy names the tests that ran on every listed build. The crash matrix runs each cell several times.
const testedBy = "go test ./agent; .ci/matrix 2"

// testedBuilds lists the builds in ascending order.
var testedBuilds = []testedBuild{
	{17, "17.0.21.1+2", "Debian 12", testedBy},
	{25, "25.0.3+9", "Eclipse Temurin", testedBy},
}

func buildsCommand(a *cli.App) *cobra.Command {
	cmd := a.NewCommand(buildsHelp, cli.Args(0, 0, "none"), func(context.Context, []string) error {
		return a.Print(testedBuilds, func() {
			for _, b := range testedBuilds {
				fmt.Fprintf(a.Out, "%-4d %-12s  %-16s  %s\n", b.Release, b.Version, b.Vendor, b.Ran)
			}
		})
	})
	a.AddJSONFlag(cmd)
	return cmd
}
