package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/internal/file/disk"
)

// Main runs the command that args name below root, until it ends or is interrupted,
// and returns the exit code.
func (a *App) Main(root *cobra.Command, args []string) int {
	ignorePipes()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	return a.Execute(ctx, root, args)
}

// Execute runs the command that args name below root, and returns the exit code.
func (a *App) Execute(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	a.command = cmd.CommandPath()
	if flushed := a.Finish(); err == nil && flushed != nil {
		err, a.Running = flushed, true
	}
	return a.Exit(err)
}

// CompleteRoot gives root, which has its commands, what the root commands have in common:
// streams, the version, and errors for commands, topics and flags that do not exist.
func (a *App) CompleteRoot(root *cobra.Command) {
	root.Version = version()
	root.SetVersionTemplate(root.Name() + " {{.Version}}\n")
	root.SilenceErrors, root.SilenceUsage, root.DisableFlagsInUseLine = true, true, true
	root.SuggestionsMinimumDistance = 2
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.ErrOut)
	root.SetFlagErrorFunc(flagError)
	refuseUnknownTopics(root)
}

// flagError returns the error of a flag's value without the names of Go's functions.
func flagError(_ *cobra.Command, err error) error {
	text := err.Error()
	var number *strconv.NumError
	if errors.As(err, &number) {
		text = strings.TrimSuffix(text, number.Error()) + number.Err.Error()
	}
	return Usagef("%s", text)
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
				return Usagef("there are no completions for %q: name bash, zsh, fish or powershell", args[0])
			}
		}
	}
}

// unknownCommand returns the error of a command that does not exist, with names near to it.
func unknownCommand(root *cobra.Command, name string) error {
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return Usagef("there is no command %q: did you mean %s?", name, strings.Join(near, " or "))
	}
	return Usagef("there is no command %q", name)
}

// released is the version of a release, which its build sets.
var released string

// version returns what --version prints after the program's name.
func version() string {
	v := cmp.Or(released, "(devel)")
	if info, ok := debug.ReadBuildInfo(); released == "" && ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return v + ", archive format " + disk.VersionString(disk.Version) + ", " +
		runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
}
