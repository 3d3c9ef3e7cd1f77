// Package warm implements the command warm, which measures how a command starts and warms up, with and without an
// archive.
package warm

import (
	"context"
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

const commandHelp = `Warm runs a command again and again, in several ways that take turns (contenders), and reports which
one is faster, with what confidence:

  plain         as it is
  appcds        with an AppCDS archive of its classes, which one training run makes
  flag          with the best flag alone: TieredOldPercentage, which lets the VM wait less for C2
  archive       with the profiles of --archive, which the agent adopts (see profarc agent)
  archive+flag  with both
  aot           with an AOT cache, from JDK 25 on, which one training run makes
  aot+archive   with both
  c1            without C2 (TieredStopAtLevel=1)

All but plain, aot and aot+archive use the AppCDS archive too, which is the base line: the gain of an
archive comes on top. --only and --skip select; --contender NAME=FLAGS adds one, in whose flags
@NAME stands for those of another.

Warm measures the wall time, the processor time and the largest process of all that the command starts,
and the time to its first output, or to the first line that --ready matches. With --unit, each line that
matches ends a unit of work. The units form a curve, of which warm reports the peak, the time to 90% of
the base line's peak, the median, p99 and p99.9 of the units' times, and the mean of the last tenth. If
the expression has a group, that is the unit's time ("12.5 ms"; milliseconds without a unit), else it is
the time between lines.

Before the rounds the command runs once as it is. Every run must print what this one did; lines that
--ignore matches, and those of units with a time, are left out. Runs that fail are reported and in no
figure; a contender that fails three times in a row is not run again.

Figures are medians with the interval of the sign test; for too few runs it is the range, with the confidence
that this has. Ratios to the base line are of the rounds: every contender runs once a
round, in an order that is reversed from round to round. An estimate is that of Hodges and Lehmann,
with the interval and p of Wilcoxon's signed-rank test, exact. A difference counts if the interval
excludes 1. An interval of 95% takes 6 rounds; for one below 10% of difference run 15 on a quiet machine.

The verdict compares each contender with the base line, and the archive with the flag alone, C1 alone and
the AOT cache. Its last line is the advice: to do without the archive, unless what is fastest with it is
shown to be faster than what is fastest without. Every interval stands for itself: of 20 comparisons
with 95%, one is wrong on average. From 10% of other programs' work on the report calls the machine not quiet:
then trust processor times more than wall times.

--json writes every figure and run; its fields are stable. Top level: command, jvm, system, cpus, rounds,
rounds_asked, confidence, baseline, profiles (in the archive), others (share of the processors that other
programs had), contenders (name, flags, runs, failed, differing, left_out), training (name, wall_ns, bytes,
classes, classes_shared), measures (name, unit, rows), verdicts (contender, against, wall, cpu), leaders,
advice, notes, and runs
(round, contender, wall_ns, cpu_ns, first_ns, peak_bytes, exit, output, failure, differs, methods_adopted,
inert, units). A ratio has pairs, estimate, low, high, confidence (0: no interval), p, method and verdict. Of
the command line and flags, what is not known to be harmless is ***.

An interrupt ends the command, and prints what was measured. The exit code is 0 if all was measured, 1 if
runs failed or printed something else, 2 for wrong usage, 130 after an interrupt, and 127 or 126 if the command
cannot be started.`

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

func Command(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "warm [--archive ARCHIVE] [flags] -- COMMAND [ARGUMENT]...",
		Short: "Measure how a command starts and warms up with and without an archive",
		Long:  commandHelp,
		Example: `  profarc warm --archive app.parc -- java -jar app.jar
  profarc warm --archive app.parc -n 25 --only appcds,flag,archive --report warm.json -- java -jar app.jar
  profarc warm --archive app.parc --unit 'iteration \d+ took (.*)' -- java -cp bench.jar Main
  profarc warm --only appcds --contender 'serial=@appcds -XX:+UseSerialGC' -- java -jar app.jar`,
		Args: cli.Args(1, -1, "the command to measure, after --"),
		RunE: a.Run(func(ctx context.Context, args []string) error { return runCommand(ctx, a, args, &o) }),
	}
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
		_ = cmd.RegisterFlagCompletionFunc(flag, completeContenders)
	}
	return cmd
}

func completeContenders(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	for _, c := range standardContenders() {
		names = append(names, c.name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
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
