package main

import (
	"errors"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/agent"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/bench"
	"github.com/profarc/profarc/cmd/profarc/internal/check"
	"github.com/profarc/profarc/cmd/profarc/internal/convert"
	"github.com/profarc/profarc/cmd/profarc/internal/demo"
	"github.com/profarc/profarc/cmd/profarc/internal/diff"
	"github.com/profarc/profarc/cmd/profarc/internal/info"
	"github.com/profarc/profarc/cmd/profarc/internal/launch"
	"github.com/profarc/profarc/cmd/profarc/internal/lookup"
	"github.com/profarc/profarc/cmd/profarc/internal/merge"
	"github.com/profarc/profarc/cmd/profarc/internal/reduce"
	"github.com/profarc/profarc/cmd/profarc/internal/show"
	"github.com/profarc/profarc/cmd/profarc/internal/top"
	"github.com/profarc/profarc/cmd/profarc/internal/train"
	"github.com/profarc/profarc/cmd/profarc/internal/verify"
	"github.com/profarc/profarc/cmd/profarc/internal/warm"
	"github.com/profarc/profarc/internal/disk"
)

// newRootCommand returns profarc's root command with all commands.
func newRootCommand(a *app.App) *cobra.Command {
	a.Recognise = convert.Recognise
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
	cmd.SetIn(a.In)
	cmd.SetOut(a.Out)
	cmd.SetErr(a.ErrOut)
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(demo.Command(a), demo.DeployCommand(a), train.Command(a), launch.Command(a), agent.Command(a), warm.Command(a), convert.ImportCommand(a), convert.ExportCommand(a), info.Command(a),
		show.Command(a), top.Command(a), lookup.Command(a), verify.Command(a), bench.Command(a), train.DumpCommand(a), diff.Command(a), check.Command(a), merge.Command(a), reduce.Command(a))
	cmd.SetFlagErrorFunc(flagError)
	refuseUnknownTopics(cmd)
	return cmd
}

// flagError returns the error of a flag's value without the names of Go's functions.
func flagError(_ *cobra.Command, err error) error {
	text := err.Error()
	var number *strconv.NumError
	if errors.As(err, &number) {
		text = strings.TrimSuffix(text, number.Error()) + number.Err.Error()
	}
	return app.Usagef("%s", text)
}

// refuseUnknownTopics makes help and completion of an unknown topic a usage
// error. Cobra would print a help text and succeed, and a script would go on.
func refuseUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if topic, _, err := root.Find(args); len(args) > 0 && (err != nil || topic == root) {
					return unknownCommand(root, args[0])
				}
				return nil
			}
		case "completion":
			cmd.Args = cobra.ArbitraryArgs
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				if len(args) == 0 {
					return cmd.Help()
				}
				return app.Usagef("there are no completions for %q: name bash, zsh, fish or powershell", args[0])
			}
		}
	}
}

// unknownCommand returns the error of a command that does not exist, with names
// near to it.
func unknownCommand(root *cobra.Command, name string) error {
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return app.Usagef("there is no command %q: did you mean %s?", name, strings.Join(near, " or "))
	}
	return app.Usagef("there is no command %q", name)
}

// version returns what --version prints after the program's name.
func version() string {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return v + ", archive format " + disk.VersionString(disk.Version) + ", " +
		runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
}
