package agentcmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/internal/cli"
)

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
	var asJSON bool
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
			if asJSON {
				return a.PrintJSON(testedBuilds)
			}
			for _, b := range testedBuilds {
				fmt.Fprintf(a.Out, "%-4d %-12s  %-16s  %s\n", b.Release, b.Version, b.Vendor, b.Ran)
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "report in JSON")
	return cmd
}
