package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/profarc/profarc/internal/file/disk"
)

// Main is like Execute, and cancels the command's context on SIGINT and SIGTERM. A second signal ends the process.
func (a *App) Main(root *cobra.Command, args []string) int {
	ignorePipes()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return a.Execute(ctx, root, args)
}

func (a *App) Execute(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	a.command = cmd.CommandPath()
	if flushed := a.Finish(); err == nil && flushed != nil {
		err = flushed
		a.Running = true
	}
	return a.Exit(err)
}

// CompleteRoot sets up streams, version and usage errors of a root command. Its subcommands must have been added.
func (a *App) CompleteRoot(root *cobra.Command) {
	a.CompleteProgram(root)
	root.SetVersionTemplate(root.Name() + " {{.Version}}\n")
	root.SuggestionsMinimumDistance = 2
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommandError(cmd, args[0])
	}
	rejectUnknownTopics(root)
}

// CompleteProgram sets up the command of a program without subcommands. Templates would keep unused methods linked.
func (a *App) CompleteProgram(root *cobra.Command) {
	root.Version = buildVersion().String()
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.DisableFlagsInUseLine = true
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.ErrOut)
	root.SetFlagErrorFunc(flagUsageError)
}

// NewCommand returns a command. Its help begins with its usage and its short description, a line each. The rest and
// values are as for SetHelp.
func (a *App) NewCommand(help string, args cobra.PositionalArgs, work func(ctx context.Context, args []string) error,
	values ...string) *cobra.Command {
	lines := strings.SplitN(help, "\n", 3)
	cmd := &cobra.Command{Use: lines[0], Short: lines[1], Args: args, RunE: a.Run(work)}
	SetHelp(cmd, lines[2], values...)
	return cmd
}

// SetHelp sets the description and the examples of a command to a text that is divided by the line "Examples:". values
// are pairs of a placeholder in the text and its replacement.
func SetHelp(cmd *cobra.Command, text string, values ...string) {
	text = strings.NewReplacer(values...).Replace(text)
	about, examples, _ := strings.Cut(text, "\n\nExamples:\n")
	cmd.Long = strings.TrimSpace(about)
	cmd.Example = strings.TrimRight(examples, "\n")
}

func flagUsageError(cmd *cobra.Command, err error) error {
	if !cmd.HasParent() && cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return unknownCommandError(cmd, cmd.Flags().Arg(0)) // its flags are not known
	}
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		if near := nearFlags(cmd, name); len(near) > 0 {
			return Usagef("%s: did you mean --%s?", text, strings.Join(near, " or --"))
		}
	}
	var number *strconv.NumError
	if errors.As(err, &number) {
		text = strings.TrimSuffix(text, number.Error()) + number.Err.Error()
	}
	return Usagef("%s", text)
}

// nearFlags returns the flags of a command with similar names.
func nearFlags(cmd *cobra.Command, name string) []string {
	known := cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		known.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	return known.SuggestionsFor(name)
}

// rejectUnknownTopics makes help and completion of an unknown topic a usage error. Cobra would print a help text and
// exit with 0.
func rejectUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if topic, _, err := root.Find(args); len(args) > 0 && (err != nil || topic == root) {
					return unknownCommandError(root, args[0])
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

func unknownCommandError(root *cobra.Command, name string) error {
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return Usagef("there is no command %q: did you mean %s?", name, strings.Join(near, " or "))
	}
	return Usagef("there is no command %q", name)
}

var released string

// A version describes the program, as profarc version prints it.
type version struct {
	Version string   `json:"version"`
	Commit  string   `json:"commit"`  // "" if the build did not record it
	Formats []string `json:"formats"` // versions of the archive format that are read; the last one is written
	Go      string   `json:"go"`
	System  string   `json:"system"`
}

func buildVersion() version {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	v := version{cmp.Or(released, info.Main.Version, "(devel)"), "", []string{disk.VersionString(disk.Version)},
		runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" }); i >= 0 {
		v.Commit = info.Settings[i].Value
	}
	return v
}

func (v version) String() string {
	return v.Version + ", archive format " + v.Formats[0] + ", " + v.Go + " " + v.System
}

func (a *App) VersionCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "version", Short: "Print the version, commit and archive format", Args: Args(0, 0, "none"),
		Example: "  profarc version --json | jq -r .commit"}
	cmd.RunE = a.Run(func(context.Context, []string) error {
		v := buildVersion()
		return a.Print(v, func() { fmt.Fprintln(a.Out, cmd.Root().Name(), v) })
	})
	a.AddJSONFlag(cmd)
	return cmd
}
