// Package warm implements the command warm, which measures how a command starts and warms up, with and without an
// archive.
package warm

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
	"github.com/profarc/profarc/cmd/profarc/internal/warm/warmup"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/system/secrets"
)

type options struct {
	rounds     int
	archive    string
	agent      string
	inherit    bool
	own        []string
	only, skip []string
	baseline   string
	confidence float64

	ready, unit, ignore string
	input               string
	timeout             time.Duration
	accept              []int

	report string
	quiet  bool
}

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	var o options
	cmd := a.NewCommand(helpText, cli.Args(1, -1, "the command to measure, after --"),
		func(ctx context.Context, args []string) error { return runCommand(ctx, a, args, &o) })
	f := cmd.Flags()
	f.SetInterspersed(false) // flags after the command's name belong to it
	f.IntVarP(&o.rounds, "rounds", "n", 15, "rounds; each contender runs once a round")
	f.StringVarP(&o.archive, "archive", "a", "", "archive to adopt")
	f.StringVar(&o.agent, "agent", "", "library of the agent, instead of one that is built")
	f.BoolVar(&o.inherit, "inherit", false, "the command is not java but starts JVMs: give them flags through "+
		javacommand.Options)
	f.StringArrayVar(&o.own, "contender", nil,
		"another contender, as NAME=FLAGS with blanks between flags; may be repeated")
	f.StringSliceVar(&o.only, "only", nil, "contenders to measure, of those above; your own are measured too")
	f.StringSliceVar(&o.skip, "skip", nil, "contenders to leave out")
	f.StringVar(&o.baseline, "baseline", "", "contender that ratios are to (default appcds, or plain without it)")
	f.Float64Var(&o.confidence, "confidence", 0.95, "least confidence of intervals")
	f.StringVar(&o.ready, "ready", "", "regular expression of the line that says that the program is ready")
	f.StringVar(&o.unit, "unit", "",
		"regular expression of the line that ends a unit of work; group 1, if any, is its time")
	f.StringVar(&o.ignore, "ignore", "", "regular expression of lines that differ from run to run")
	f.StringVar(&o.input, "input", "", "file that is the standard input of each run (default: none)")
	f.DurationVar(&o.timeout, "timeout", 10*time.Minute, "longest time of a run")
	f.IntSliceVar(&o.accept, "accept", nil, "exit codes of the command that are no failure, as for train")
	f.StringVar(&o.report, "report", "", "file for all figures and runs, in JSON")
	a.AddJSONFlag(cmd)
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress on stderr")
	_ = cmd.RegisterFlagCompletionFunc("archive", cli.CompleteArchives(-1))
	for _, flag := range []string{"only", "skip", "baseline"} {
		_ = cmd.RegisterFlagCompletionFunc(flag,
			cobra.FixedCompletions(namesOf(standardContenders()), cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

func (o *options) checkFlags() error {
	for _, c := range []struct {
		wrong bool
		text  string
	}{
		{o.rounds < 1 || o.rounds > 1000, fmt.Sprintf("-n %d: it must be from 1 to 1000", o.rounds)},
		{!(o.confidence >= 0.5 && o.confidence <= 0.999),
			fmt.Sprintf("--confidence %v: it must be from 0.5 to 0.999", o.confidence)},
		{o.timeout <= 0, fmt.Sprintf("--timeout %v: it must be more than 0", o.timeout)},
		{o.agent != "" && o.archive == "", "--agent is for --archive"},
	} {
		if c.wrong {
			return cli.Usagef("%s", c.text)
		}
	}
	return nil
}

func (o *options) compileWatch() (w warmup.Watch, err error) {
	for _, e := range []struct {
		flag, text string
		to         **regexp.Regexp
	}{{"--ready", o.ready, &w.Ready}, {"--unit", o.unit, &w.Unit}, {"--ignore", o.ignore, &w.Ignore}} {
		if e.text == "" {
			continue
		}
		*e.to, err = regexp.Compile(e.text)
		if err != nil {
			return w, cli.Usagef("%s: %w", e.flag, err)
		}
	}
	return w, nil
}

func runCommand(ctx context.Context, a *cli.App, args []string, o *options) error {
	s, err := newSession(ctx, a, args, o)
	if err != nil {
		return err
	}
	defer s.removeFolder()
	if err := s.prepareContenders(ctx); err != nil {
		return err
	}
	interrupted := s.runRounds(ctx)
	if len(s.records) == 0 {
		return interrupted
	}
	r := s.newReport()
	err = a.Print(r, func() { r.printReport(a) })
	if o.report != "" && err == nil {
		err = cli.Publish(context.WithoutCancel(ctx), o.report, func(w io.Writer) error { return cli.WriteJSON(w, r) })
	}
	switch {
	case interrupted != nil:
		return interrupted
	case err != nil:
		return err
	}
	return r.failureError()
}

func newSession(ctx context.Context, a *cli.App, args []string, o *options) (*session, error) {
	if err := o.checkFlags(); err != nil {
		return nil, err
	}
	watch, err := o.compileWatch()
	if err != nil {
		return nil, err
	}
	s := &session{a: a, o: o, measured: warmup.Program{Input: o.input, Watch: watch, Timeout: o.timeout,
		Accept: o.accept}}
	if cli.CheckOutput(o.report, o.archive) != nil {
		return nil, cli.Usagef("--report %s is the archive: name another file", o.report)
	}
	if err := s.chooseContenders(); err != nil {
		return nil, err
	}
	s.program, err = javacommand.FindCommand(args, o.inherit)
	if err != nil {
		return nil, err
	}
	if s.program.Way == javacommand.WayNone {
		return nil,
			cli.Usagef("%s is not java: name java itself after --, or give flags to all JVMs that the command starts with "+
				"--inherit, which sets %s", args[0], javacommand.Options)
	}
	s.jvm, err = findJVM(ctx, s.program.JavaPath())
	if err != nil {
		return nil, err
	}
	if err := s.findAgent(ctx); err != nil {
		return nil, err
	}
	s.head = heading{Command: secrets.Mask(args), JVM: s.jvm.text, CPUs: runtime.NumCPU(),
		System: runtime.GOOS + "/" + runtime.GOARCH, Profiles: s.profiles}
	return s, nil
}
