// Package gate implements the command gate, which decides whether an archive may be shipped.
package gate

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/check"
	"github.com/profarc/profarc/cmd/profarc/internal/gate/criteria"
	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// exitNoProfile is the exit code if the file is missing, or no reader accepts it.
const exitNoProfile = 3

// wrapAbout returns the lines of the help about a criterion.
func wrapAbout(name, about string) string {
	lines := terminal.WrapWords(about, 90)
	return fmt.Sprintf("  %-11s%s\n", name, strings.Join(lines, "\n"+strings.Repeat(" ", 13)))
}

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	var o options
	cmd := a.NewCommand(helpText, cli.Args(1, 1, "one archive"), func(ctx context.Context, args []string) error {
		return runCommand(ctx, a, args[0], &o)
	}, "{criteria}", criteria.About(wrapAbout))
	cmd.ValidArgsFunction = cli.CompleteArchives(1, cli.ProfileExtensions...)
	o.addFlags(a, cmd)
	return cmd
}

type judgement struct {
	Archive  string               `json:"archive"`
	Against  string               `json:"against,omitempty"`
	Baseline string               `json:"baseline,omitempty"`
	Domain   string               `json:"domain,omitempty"`
	Verdict  criteria.Verdict     `json:"verdict"`
	Reason   string               `json:"reason,omitempty"` // why there is no profile
	Criteria []criteria.Criterion `json:"criteria"`
}

// noProfile is the verdict if there is nothing to judge.
const noProfile criteria.Verdict = "no-profile"

func runCommand(ctx context.Context, a *cli.App, path string, o *options) error {
	limits, err := o.parseLimits(a)
	if err != nil {
		return err
	}
	j := &judgement{Archive: path, Baseline: o.baseline, Criteria: []criteria.Criterion{}}
	switch refused, err := j.judgeArchive(ctx, a, limits, o); {
	case err != nil:
		return err
	case refused != nil:
		j.Verdict, j.Reason = noProfile, app.Message(refused)
	}
	if err := j.printReport(a, o); err != nil {
		return err
	}
	for i := range j.Criteria {
		if c := &j.Criteria[i]; c.Warning != "" && j.Verdict == criteria.Pass {
			fmt.Fprintf(a.ErrOut, "profarc: warning: %s: %s\n", escape.Printable(path), c.Warning)
		}
	}
	return j.exitError()
}

// judgeArchive opens the archive and judges it. refused is the reason if there is no usable archive.
func (j *judgement) judgeArchive(ctx context.Context, a *cli.App, limits criteria.Limits, o *options) (refused,
	err error) {
	s, refused := a.OpenStore(ctx, j.Archive)
	if refused != nil {
		return refused, nil
	}
	defer s.Close()
	defer cli.CloseOnInterrupt(ctx, s)()
	refused = s.Mapping().Guard(func() error { return verifySound(ctx, a, s) })
	if refused != nil {
		return refused, ctx.Err()
	}
	j.Domain = s.Header().Domain.String()
	whole, refused, err := o.withBase(ctx, a, s)
	if refused != nil || err != nil {
		return refused, err
	}
	if whole != s {
		defer whole.Close()
	}
	return nil, s.Mapping().Guard(func() error { return j.judgeSound(ctx, a, s, whole, limits, o) })
}

// withBase returns a layer joined with its base, or s itself if it is no layer. refused is the reason if the base
// cannot be used.
func (o *options) withBase(ctx context.Context, a *cli.App, s *reader.Store) (whole *reader.Store, refused, err error) {
	_, layer, err := s.Base()
	if err == nil && !layer && o.base != "" && o.baseline == "" {
		err = cli.Usagef("%s is no layer: leave out --base", s.Mapping().Name())
	}
	if err == nil && layer && o.base == "" {
		_, alone := reader.NewLayers(s)
		err = cli.Usagef("%w, with --base", alone)
	}
	if err != nil {
		return nil, nil, err
	}
	whole, refused = layers.OpenWhole(ctx, a, s, o.base)
	return whole, refused, ctx.Err()
}

func verifySound(ctx context.Context, a *cli.App, s *reader.Store) error {
	m := a.Meter("verifying " + s.Mapping().Name())
	defer m.Done()
	r, err := verify.Store(ctx, s, m.Report)
	if err == nil && !r.Sound() {
		err = r.Problems[0]
	}
	return err
}

func (j *judgement) judgeSound(ctx context.Context, a *cli.App, s, whole *reader.Store, limits criteria.Limits,
	o *options) (err error) {
	e := criteria.Evidence{Whole: whole, BaselineName: o.baseline, Now: time.Now(),
		CodeName: cmp.Or(joinWords(o.against, " --against "), "CODE")}
	if info, err := os.Stat(j.Archive); err == nil {
		e.Written = info.ModTime()
	}
	var program check.Program
	err = check.ErrNotRecorded
	if len(o.against) > 0 || limits.Fit > 0 || limits.Checked > 0 {
		program, err = check.OpenProgram(ctx, a, o.against, s)
	}
	switch {
	case errors.Is(err, check.ErrNotRecorded):
		e.NoProgram, e.MissesProgram = err.Error(), errors.Is(err, check.ErrNotHere)
	case err != nil:
		return err
	default:
		defer program.Close()
		j.Against = program.Name
		e.Lacks = program.LacksMethod
		e.Fit = func() (*report.Check, error) { return program.CheckFit(ctx, whole, 1) }
	}
	if o.baseline == "" {
		return j.judgeCriteria(ctx, s, limits, e, o)
	}
	err = withBaseline(ctx, a, o, func(base *reader.Store, size int64) error {
		e.Baseline, e.BaselineSize = base, size
		return j.judgeCriteria(ctx, s, limits, e, o)
	})
	if e.Baseline == nil && ctx.Err() == nil {
		e.BaselineError = errors.New(app.Message(err))
		err = j.judgeCriteria(ctx, s, limits, e, o)
	}
	return cmp.Or(ctx.Err(), err)
}

func joinWords(names []string, separator string) string {
	return lists.Join(names, separator, cli.ShellWord)
}

// withBaseline calls f with the baseline, joined with its base if it is a layer, and with the size of its file.
func withBaseline(ctx context.Context, a *cli.App, o *options, f func(base *reader.Store, size int64) error) error {
	return a.WithStore(ctx, o.baseline, func(s *reader.Store) error {
		whole, err := layers.OpenWhole(ctx, a, s, o.base)
		if err != nil {
			return err
		}
		if whole != s {
			defer whole.Close()
		}
		return f(whole, s.Header().FileSize)
	})
}

func (j *judgement) judgeCriteria(ctx context.Context, s *reader.Store, limits criteria.Limits, e criteria.Evidence,
	o *options) (err error) {
	j.Criteria, err = criteria.JudgeArchive(ctx, s, limits, e)
	if err != nil {
		return err
	}
	for i := range j.Criteria {
		c := &j.Criteria[i]
		c.Waived = c.MayBeWaived() && slices.Contains(o.waived, c.Name)
	}
	j.Verdict = criteria.VerdictOf(j.Criteria)
	return nil
}

// exitError returns the error that ends the command; nil if the archive passes.
func (j *judgement) exitError() error {
	switch j.Verdict {
	case criteria.Pass:
		return nil
	case noProfile:
		return &cli.ExitError{Code: exitNoProfile, Err: errors.New("no profile to ship: " + j.Reason)}
	}
	var failed []string
	repeated := strings.TrimPrefix(verdictLooks[j.Verdict].text, verdictLooks[criteria.Fail].text+": ") + ": "
	for i := range j.Criteria {
		if c := &j.Criteria[i]; c.BlocksPass() {
			failed = append(failed, c.Name+" "+strings.ReplaceAll(blockingText(c), repeated, ""))
		}
	}
	err := fmt.Errorf("%s: %s", j.headline(), strings.Join(failed, ", "))
	if j.Verdict == criteria.TooLittle || j.Verdict == criteria.TooShort {
		return &cli.ExitError{Code: check.ExitUnchecked, Err: err}
	}
	return err
}

type options struct {
	against                []string
	base, baseline         string
	fit, coverage, overlap string
	counts                 string
	checked, spread        string
	hot                    string
	size                   string
	growth                 float64
	breadth, runs, inputs  int
	weight, damaged, lost  string
	age                    string
	waived                 []string
	markdown               bool
	explain                bool
	screen                 terminal.Options
}

func (o *options) addFlags(a *cli.App, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.against, "against", nil,
		"the code of the program: a class path, in one or more parts, pid:N, an archive, or profiles of another tool "+
			"(default what the archive records)")
	layers.AddFlag(f, &o.base)
	f.StringVar(&o.baseline, "baseline", "", "the archive in use, or the merged profiles of the fleet")
	f.StringVar(&o.fit, "min-fit", "90%", "least share of all events that neither has changed nor is gone")
	f.StringVar(&o.checked, "min-checked", fmt.Sprintf("%.0f%%", 100*cli.DefaultChecked),
		"least share of the hot part that is compared")
	f.IntVar(&o.breadth, "min-breadth", 10, "without a baseline, fewest methods of the program itself with counts")
	f.StringVar(&o.weight, "min-weight", "10%", "without a baseline, least share of all counts in the program itself")
	f.StringVar(&o.coverage, "min-coverage", "90%", "least share of the baseline's hot counts in methods with counts")
	f.StringVar(&o.hot, "hot", "99%", "share of the baseline's counts whose methods are hot")
	f.StringVar(&o.spread, "min-spread", "50%", "least share of the baseline's methods with counts that have counts")
	f.StringVar(&o.overlap, "min-overlap", "50%", "least overlap with the baseline")
	f.StringVar(&o.counts, "min-counts", "0", "least counts of a run, relative to a run of the baseline, as 10%")
	f.StringVar(&o.size, "max-size", "256MB", "most bytes of the archive")
	f.Float64Var(&o.growth, "max-growth", 3, "most times the size of the baseline")
	f.IntVar(&o.runs, "min-runs", 1, "fewest dumps that it is made from")
	f.IntVar(&o.inputs, "min-inputs", 0, "fewest files that it is made from")
	f.StringVar(&o.damaged, "max-damaged", "0", "most damaged, missing or skipped files, as a number or a share, or any")
	f.StringVar(&o.lost, "max-lost", "0.5%", "most that may be lost of the counts of a unit, or any")
	f.StringVar(&o.age, "max-age", "30d", "most time since its last dump, as 30d or 12h")
	f.StringSliceVar(&o.waived, "allow-unchecked", nil, "criteria that may be unchecked, as age,fit, or all")
	a.AddJSONFlag(cmd)
	f.BoolVar(&o.explain, "explain", false, "say what each criterion measures, and what to do if it does not pass")
	f.BoolVar(&o.markdown, "markdown", false, "print a table in Markdown")
	o.screen.AddFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("allow-unchecked",
		cobra.FixedCompletions(append([]string{"all"}, criteria.Names()...), cobra.ShellCompDirectiveNoFileComp))
}

// switchesOff reports whether a threshold is 0, and so disables its criterion.
func switchesOff(text string) bool {
	return text != "" && strings.TrimRight(strings.TrimSuffix(text, "%"), "0.") == ""
}

func (o *options) parseLimits(a *cli.App) (l criteria.Limits, err error) {
	if err := o.checkFlags(a); err != nil {
		return l, err
	}
	l = criteria.Limits{Growth: o.growth, Breadth: o.breadth, Runs: o.runs, Inputs: o.inputs}
	for _, share := range []struct {
		flag, text string
		to         *float64
	}{{"--min-fit", o.fit, &l.Fit}, {"--min-checked", o.checked, &l.Checked}, {"--min-coverage", o.coverage, &l.Coverage},
		{"--min-spread", o.spread, &l.Spread}, {"--min-overlap", o.overlap, &l.Overlap},
		{"--min-weight", o.weight, &l.Weight}, {"--min-counts", o.counts, &l.Counts}} {
		*share.to, err = parseShare(share.flag, share.text)
		if err != nil {
			return l, err
		}
	}
	l.Hot, err = app.ParseShare("--hot", o.hot)
	if err != nil {
		return l, err
	}
	if !switchesOff(o.size) {
		l.Size, err = cli.ParseSizeFlag("--max-size", o.size)
		if err != nil {
			return l, err
		}
	}
	l.Damaged, err = parseAllowance("--max-damaged", o.damaged)
	if err == nil {
		l.Lost, err = parseAllowance("--max-lost", o.lost)
	}
	if err == nil && !l.Lost.IsShare && l.Lost.Most > 1 {
		err = cli.Usagef("--max-lost %s: write a share as 0.5%% or 0.005, or any", o.lost)
	}
	if err != nil {
		return l, err
	}
	if !switchesOff(o.age) {
		l.Age, err = cli.ParseAge("--max-age", o.age)
	}
	return l, err
}

// parseAllowance parses a number, a share in percent, or "any".
func parseAllowance(flag, text string) (a criteria.Allowance, err error) {
	if text == "any" {
		return criteria.Allowance{IsOff: true}, nil
	}
	number, isShare := strings.CutSuffix(text, "%")
	a.Most, err = strconv.ParseFloat(number, 64)
	a.IsShare = isShare
	if isShare {
		a.Most /= 100
	}
	if err != nil || a.Most < 0 || a.Most != a.Most || isShare && a.Most > 1 {
		return a, cli.Usagef("%s %s: write a number, a share as 0.5%%, or any", flag, text)
	}
	return a, nil
}

func parseShare(flag, text string) (float64, error) {
	if switchesOff(text) {
		return 0, nil
	}
	w, err := app.ParseShare(flag, text)
	return float64(w) / 1e9, err
}

func (o *options) checkFlags(a *cli.App) error {
	switch {
	case a.JSON && o.markdown:
		return cli.Usagef("--json and --markdown: choose one")
	case o.growth < 0 || o.growth != o.growth:
		return cli.Usagef("--max-growth %v: it must not be negative", o.growth)
	case o.runs < 0 || o.breadth < 0 || o.inputs < 0:
		return cli.Usagef("--min-runs %d, --min-breadth %d, --min-inputs %d: they must not be negative", o.runs, o.breadth,
			o.inputs)
	case o.hot == "":
		return cli.Usagef("--hot: write a share as 99.9%% or 0.999")
	}
	if slices.Contains(o.waived, "all") {
		o.waived = criteria.Names()
	}
	for _, name := range o.waived {
		if !slices.Contains(criteria.Names(), name) {
			return cli.Usagef("--allow-unchecked %s: the criteria are %s", name, strings.Join(criteria.Names(), ", "))
		}
	}
	return nil
}
