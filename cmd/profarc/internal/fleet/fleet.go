// Package fleet adds the commands of profarc-fleet to profarc, as git does with programs named git-NAME. profarc-fleet
// is a separate program because it depends on clients of registries and clouds.
package fleet

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
)

// Program is the name of the separate program that implements the commands. pullProgram has pull alone, without the
// clients of clouds, and starts in a third of the time.
const (
	Program     = "profarc-fleet"
	pullProgram = "profarc-pull"
)

// startedAs is argv[0] of profarc-fleet. Its help and errors then name profarc.
const startedAs = "profarc"

const group = "fleet"

// AddCommands adds the commands of profarc-fleet to root, in a separate group.
func AddCommands(a *cli.App, root *cobra.Command) { addCommands(a, root, cli.FleetCommands) }

func addCommands(a *cli.App, root *cobra.Command, commands []cli.FleetCommand) {
	if len(commands) == 0 {
		return
	}
	root.AddGroup(&cobra.Group{ID: group, Title: "Commands of " + Program + ", for registries and fleets:"})
	for _, c := range commands {
		cmd := &cobra.Command{
			Use: c.Name, Short: c.Short, GroupID: group,
			DisableFlagParsing: true, // the program parses them
			RunE: a.Run(func(ctx context.Context, args []string) error {
				return runFleet(ctx, a, append([]string{c.Name}, args...))
			}),
		}
		cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
			if err := runFleet(cmd.Context(), a, []string{c.Name, "--help"}); err != nil {
				cmd.Println(app.Message(err))
			}
		})
		root.AddCommand(cmd)
	}
}

// PassCompletion lets profarc-fleet complete the words of its commands for a shell.
func PassCompletion(a *cli.App, root *cobra.Command, args []string) {
	passCompletion(a, root, args, cli.FleetCommands)
}

func passCompletion(a *cli.App, root *cobra.Command, args []string, commands []cli.FleetCommand) {
	completes := len(args) > 2 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
	if completes && slices.ContainsFunc(commands, func(c cli.FleetCommand) bool { return c.Name == args[1] }) {
		root.ResetCommands()
		addCommands(a, root, []cli.FleetCommand{{Name: args[0]}})
	}
}

// runFleet runs profarc-fleet with args, or profarc-pull if it is there. On Unix it replaces this process.
func runFleet(ctx context.Context, a *cli.App, args []string) error {
	path, found := findProgram(pullProgram)
	if found && args[0] == "pull" {
		args = args[1:]
	} else if path, found = findProgram(Program); !found {
		return errMissing
	}
	if err := a.Finish(); err != nil {
		return err
	}
	return startProgram(ctx, a, path, args)
}

var errMissing = errors.New("this is a command of " + Program + ", which is neither beside profarc nor on PATH: " +
	"build it in a checkout of github.com/profarc/profarc with (cd fleet && go install ./cmd/" + Program + ")")

// findProgram finds a program in the directory of this one, or on PATH.
func findProgram(name string) (path string, found bool) {
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return path, true
		}
	}
	path, err := exec.LookPath(name)
	return path, err == nil
}
