// Package agentcmd implements the command agent, which builds and installs the agent for HotSpot.
package agentcmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
	"github.com/profarc/profarc/internal/names/escape"
)

const commandHelp = `The agent is a library that a HotSpot JVM loads at its start. It gives the JVM the profiles of an archive.
profarc run loads it. In an image, java can load it with the flag that profarc agent install prints.

profarc contains the C sources of the agent and of libprofarc. It builds them with this machine's
compiler: CC if it is set, else cc, gcc or clang. That takes some seconds, once. The library is kept in
the user's cache ($XDG_CACHE_HOME or ~/.cache), under a checksum of the sources, the compiler and the
platform. If there is no compiler, name a released library with PROFARC_AGENT_LIBRARY or --agent.

The agent runs on linux/amd64 and linux/arm64.`

func Command(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Build and install the agent that gives profiles to a JVM",
		Long:  commandHelp,
		Example: `  profarc agent install /opt/profarc
  java -agentpath:$(profarc agent path)=archive=app.parc -jar app.jar`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("there is no command %q of agent: use install, path or builds", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(installCommand(a), pathCommand(a), buildsCommand(a))
	return cmd
}

func installCommand(a *cli.App) *cobra.Command {
	var named string
	cmd := &cobra.Command{
		Use:   "install [FOLDER]",
		Short: "Build the agent, and put it into a folder",
		Long: `Install builds the agent unless it is in the cache, and puts ` + agentlib.Name + ` into a folder, in
one step. JVMs that have loaded an older one keep it. Without a folder it stays in the cache. Install
prints the path and the flag for java.`,
		Example: `  profarc agent install
  profarc agent install /opt/profarc
  CC=clang profarc agent install /opt/profarc`,
		Args: cli.Args(0, 1, "the folder to install into, or none for the cache"),
		RunE: a.Run(func(ctx context.Context, args []string) error { return installAgent(ctx, a, named, args) }),
	}
	addAgentFlag(cmd, &named)
	a.AddJSONFlag(cmd)
	return cmd
}

func pathCommand(a *cli.App) *cobra.Command {
	var named string
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Print the path of the agent",
		Long:  `Path prints the path of the agent's library that profarc run loads. It builds the library if necessary.`,
		Example: `  profarc agent path
  java -agentpath:$(profarc agent path)=archive=app.parc -jar app.jar`,
		Args: cli.Args(0, 0, "none"),
		RunE: a.Run(func(ctx context.Context, _ []string) error {
			path, err := LibraryBuilder(a, false).Find(ctx, named)
			if err == nil {
				fmt.Fprintln(a.Out, path)
			}
			return err
		}),
	}
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
	cmd := &cobra.Command{
		Use:   "builds",
		Short: "List the builds of HotSpot that the agent was run with",
		Long: `Builds lists the builds of HotSpot that the agent was tested with, and the tests. In another build of
these releases, the agent adopts if the VM's tables have plausible values for everything it needs. In a
release between them it adopts only with profarc run --untried, and in older or newer ones never.`,
		Example: `  profarc agent builds
  profarc agent builds --json`,
		Args: cli.Args(0, 0, "none"),
		RunE: a.Run(func(context.Context, []string) error {
			return a.Print(testedBuilds, func() {
				for _, b := range testedBuilds {
					fmt.Fprintf(a.Out, "%-4d %-12s  %-16s  %s\n", b.Release, b.Version, b.Vendor, b.Ran)
				}
			})
		}),
	}
	a.AddJSONFlag(cmd)
	return cmd
}
