// Package run implements the command run, which starts a program whose JVM adopts an archive.
package run

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/agentcmd"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
	"github.com/profarc/profarc/internal/java/jdk"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type runOptions struct {
	archive      string
	base         string
	library      string
	agent        agentlib.Options
	inherit      bool
	sameBuild    bool
	strict       bool
	quiet        bool
	print        bool
	train        bool
	retrainAfter time.Duration
	aotOutput    string
	thisCPU      bool
}

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	var o runOptions
	cmd := a.NewCommand(helpText, cli.Args(1, -1, "the command to run: java and its arguments"),
		func(ctx context.Context, args []string) error { return runCommand(ctx, a, args, &o) })
	f := cmd.Flags()
	f.SetInterspersed(false) // flags after the command's name belong to it
	f.StringVarP(&o.archive, "archive", "a", "", "archive to adopt")
	f.StringVar(&o.base, "base", "", "base of the archive to adopt, if that is a layer")
	f.StringVar(&o.library, "agent", "", "library of the agent to load instead of building one")
	f.StringVar(&o.agent.Weight, "weight", "",
		"invocations that an adopted profile counts for, or presence: each count is 1 (default 200)")
	f.StringVar(&o.agent.Weights, "weights", "",
		"flat: all methods weigh alike; bounded: less if training called them little (default bounded)")
	f.StringVar(&o.agent.Flags, "vm-flags", "",
		"raise a flag of the VM's compilation policy while the program warms up, or keep it (default raise)")
	f.StringVar(&o.agent.Policy, "policy", "",
		"ask the VM to compile what training compiled with C2, in its order or the hottest first: none, order or hottest "+
			"(default none)")
	f.StringVar(&o.agent.Budget, "budget", "", "percentage of the processors that C2 may take for that (default 25)")
	f.StringVar(&o.agent.Cached, "cached", "",
		"profiles that the VM has in its AOT cache: keep them, replace them, or give the weight to replace them with "+
			"(default keep)")
	f.StringVar(&o.agent.Warn, "warn-below", "",
		"percentage of the methods that must adopt, or else one line at the exit says how many did (default 50)")
	f.DurationVar(&o.agent.Warmup, "warmup", 0, "longest time until a flag that was raised is restored (default 1m)")
	f.StringVar(&o.agent.Report, "report", "", "file for the agent's report at exit, in JSON; - is stderr")
	f.BoolVar(&o.agent.Drift, "drift", false, "add to the report what happened against what was archived")
	f.BoolVar(&o.agent.Dry, "dry-run", false, "look all profiles up, and adopt none")
	f.BoolVar(&o.agent.Untried, "untried", false,
		"adopt in a release of the JDK that the agent was not run with (see profarc agent builds)")
	f.BoolVar(&o.inherit, "inherit", false, "let all JVMs below the command adopt, through "+javacommand.Options)
	f.BoolVar(&o.sameBuild, "same-build", false, "adopt only if the archive was recorded with the same build of the VM")
	f.BoolVar(&o.strict, "strict", false, "fail if the profiles cannot be adopted; implies --same-build")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no line on stderr if the profiles cannot be adopted")
	f.BoolVar(&o.print, "print", false, "print the command, and do not start it")
	f.BoolVar(&o.train, "train-if-missing", false, "train if there is no archive yet (Linux)")
	f.DurationVar(&o.retrainAfter, "retrain-after", 0, "with --train-if-missing, train again if the archive is older")
	f.BoolVar(&o.thisCPU, "this-cpu", false,
		"keep machine code for this processor in the AOT cache, with which other processors may crash")
	f.StringVar(&o.aotOutput, "aot-output", "", "AOT cache to make of the program's run and the archive (JDK 25)")
	_ = cmd.RegisterFlagCompletionFunc("archive", cli.CompleteArchives(-1))
	_ = cmd.RegisterFlagCompletionFunc("base", cli.CompleteArchives(-1))
	return cmd
}

func (o *runOptions) checkFlags() error {
	if o.archive == "" {
		return cli.Usagef("name the archive to adopt: --archive NAME%s", cli.ArchiveExtension)
	}
	if o.retrainAfter < 0 || o.retrainAfter > 0 && !o.train {
		return cli.Usagef("--retrain-after %v: it is a positive time, and needs --train-if-missing", o.retrainAfter)
	}
	if o.agent.Drift && o.agent.Report == "" {
		return cli.Usagef("--drift adds to a report: name its file with --report")
	}
	o.sameBuild = o.sameBuild || o.strict
	if err := o.checkCache(); err != nil {
		return err
	}
	o.agent.Archive = o.archive
	o.agent.Quiet = o.quiet
	if err := o.agent.Validate(); err != nil {
		return cli.Usagef("%w", err)
	}
	return o.checkTraining()
}

func runCommand(ctx context.Context, a *cli.App, args []string, o *runOptions) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	p, err := javacommand.FindCommand(args, o.inherit)
	if err != nil {
		return err
	}
	if p.Way == javacommand.WayNone {
		return errNoJava(p.Args[0])
	}
	if os.Getenv(killSwitch) == "off" {
		return o.startProgram(ctx, a, javacommand.Start{Path: p.Path, Args: p.Args})
	}
	if o.aotOutput != "" {
		return o.writeCache(ctx, a, p)
	}
	var untrained error
	if o.train && !o.print && o.isDue() {
		trained, err := o.trainOnce(ctx, a, p)
		if trained {
			return err
		}
		untrained = err
	}
	s, err := o.adoptStart(ctx, a, p)
	if err := o.reportUnadopted(a, untrained, err); err != nil {
		return err
	}
	return o.startProgram(ctx, a, s)
}

func errNoJava(name string) error {
	return cli.Usagef("%s is not java: put profarc run in front of java itself, or let all JVMs that the command "+
		"starts adopt with --inherit, "+
		"which sets %s", name, javacommand.Options)
}

// killSwitch is the variable that disables the agent, which reads it too.
const killSwitch = "PROFARC_AGENT"

func (o *runOptions) adoptStart(ctx context.Context, a *cli.App, p *javacommand.Program) (javacommand.Start, error) {
	flag, err := o.agentFlag(ctx, a, p)
	if err == nil {
		var s javacommand.Start
		s, err = p.WithFlags(flag)
		if err == nil {
			return s, nil
		}
	}
	return javacommand.Start{Path: p.Path, Args: p.Args}, err
}

func (o *runOptions) agentFlag(ctx context.Context, a *cli.App, p *javacommand.Program) (string, error) {
	if err := agentlib.Supported(); err != nil {
		return "", err
	}
	if err := o.checkFits(ctx, a, p); err != nil {
		return "", err
	}
	library, err := agentcmd.LibraryBuilder(a, o.quiet).Find(ctx, o.library)
	if err != nil {
		return "", err
	}
	if p.Way != javacommand.WayInherit {
		if err := agentlib.CheckLoads(ctx, library, p.Real); err != nil {
			return "", err
		}
	}
	options := o.agent // paths become absolute, since a script can change the working directory
	if err := o.setBase(ctx, a, &options); err != nil {
		return "", err
	}
	options.Archive, err = filepath.Abs(o.archive)
	if err != nil {
		return "", err
	}
	if r := options.Report; r != "" && r != "-" {
		options.Report, err = filepath.Abs(r)
		if err != nil {
			return "", err
		}
	}
	return options.AgentPathFlag(library)
}

func (o *runOptions) reportUnadopted(a *cli.App, untrained, unadopted error) error {
	why, what := unadopted, "no profiles adopted"
	if untrained != nil {
		why = untrained
	}
	if unadopted == nil {
		what = "not trained again"
	}
	switch {
	case errors.Is(why, context.Canceled), o.strict && unadopted != nil:
		return why
	case why != nil && !o.quiet:
		fmt.Fprintf(a.ErrOut, "profarc: %s: %s\n", what, app.Message(why))
	}
	return nil
}

func (o *runOptions) startProgram(ctx context.Context, a *cli.App, s javacommand.Start) error {
	if o.print {
		fmt.Fprintln(a.Out, shellLine(s))
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := a.Finish(); err != nil {
		return err
	}
	return replaceProcess(s)
}

func shellLine(s javacommand.Start) string {
	words := s.Args
	if s.Options != "" {
		words = append([]string{"env", javacommand.Options + "=" + s.Options}, words...)
	}
	return lists.Join(words, " ", cli.ShellWord)
}

// checkFits returns an error if an archive is known not to fit a program. The agent checks each method later.
func (o *runOptions) checkFits(ctx context.Context, a *cli.App, p *javacommand.Program) error {
	archive := o.archive
	err := a.WithArchive(ctx, archive, func(s *reader.Store) error {
		if d := s.Header().Domain; d != layout.DomainHotSpot {
			return fmt.Errorf("%s: it has profiles of another VM (%v), and HotSpot adopts its own", archive, d)
		}
		if !o.sameBuild {
			return nil
		}
		version := p.Version()
		runs, err := s.Runs()
		if err != nil || version == "" {
			return err
		}
		return checkBuild(archive, version, runs)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such archive: make one with profarc train, or let the first start make it with "+
			"--train-if-missing", archive)
	}
	return err
}

func checkBuild(archive, version string, runs []layout.Provenance) error {
	other := ""
	for _, r := range runs {
		if r.VM == "" || strings.Contains(r.VM, "("+version+")") {
			return nil
		}
		other = r.VM
	}
	if other == "" {
		return nil
	}
	return fmt.Errorf("%s: it was recorded with another build of the VM (%s), and java is %s: train anew, or leave out "+
		"--same-build and --strict", archive, jdk.VersionOfVM(other), version)
}

// setBase sets the base of the archive. If they do not fit together, the agent adopts the archive alone.
func (o *runOptions) setBase(ctx context.Context, a *cli.App, to *agentlib.Options) (err error) {
	err = layers.WithStores(ctx, a, o.archive, o.base, func(stores []*reader.Store) error {
		_, err := reader.NewLayers(stores...)
		return err
	})
	switch {
	case err == nil && o.base != "":
		to.Base, err = filepath.Abs(o.base)
		return err
	case err == nil:
		return nil
	case o.strict || ctx.Err() != nil:
		return err
	case !o.quiet:
		fmt.Fprintf(a.ErrOut, "profarc: only %s is adopted, without what it left to its base: %s\n", o.archive,
			app.Message(err))
	}
	to.Alone = true
	return nil
}
