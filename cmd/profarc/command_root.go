package main

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/layout"
)

func newRootCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "profarc",
		Short: "Archives of execution profiles",
		Long: `profarc keeps the execution profiles of a training run in an archive (.parc) that is
mapped at deployment and used where it lies: no parsing, no copying, no allocation.`,
		Example: `  profarc demo                                 # the whole life of an archive, in a few seconds
  profarc import javac.txt -o javac.parc       # take profiles in
  profarc top javac.parc                       # the hottest methods
  profarc show javac.parc 'java.lang.String::length()I'`,
		Version:               version(),
		Args:                  cobra.ArbitraryArgs,
		SilenceErrors:         true,
		SilenceUsage:          true,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	cmd.SetVersionTemplate("profarc {{.Version}}\n")
	cmd.SetIn(a.in)
	cmd.SetOut(a.out)
	cmd.SetErr(a.errOut)
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newDemoCommand(a), newDemoDeployCommand(a), newTrainCommand(a), newImportCommand(a), newExportCommand(a), newInfoCommand(a),
		newShowCommand(a), newTopCommand(a), newLookupCommand(a), newVerifyCommand(a), newBenchCommand(a), newDumpCommand(a), newDiffCommand(a), newCheckCommand(a), newMergeCommand(a), newReduceCommand(a))
	return cmd
}

func unknownCommand(root *cobra.Command, name string) error {
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return usagef("there is no command %q: did you mean %s?", name, strings.Join(near, " or "))
	}
	return usagef("there is no command %q", name)
}

// version is what --version prints behind the program's name.
func version() string {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return v + ", archive format " + layout.VersionString(layout.Version) + ", " +
		runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
}
