// Package mergecmd implements the command merge.
package mergecmd

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/check"
	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

type mergeOptions struct {
	out       string
	rows      int
	halfLife  string
	normalize bool
	versions  string
	against   []string
	asLLVM    bool
	flatten   string
	jobs      int
	failure   cli.FailureMode
	files     cli.FileArguments
}

var (
	//go:embed help.txt
	helpText string
	//go:embed report.txt
	reportText string
)

func Command(a *cli.App) *cobra.Command {
	var o mergeOptions
	cmd := a.NewCommand(helpText, cobra.ArbitraryArgs,
		func(ctx context.Context, args []string) error { return runMerge(ctx, a, args, &o) })
	cmd.ValidArgsFunction = cli.CompleteArchives(-1)
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "archive to write; its name ends in "+cli.ArchiveExtension)
	f.IntVar(&o.rows, "rows", -1, "receiver rows to keep in a type profile; without it all")
	f.StringVar(&o.halfLife, "half-life", "",
		"age at which a dump counts half, as 30d or 12h, relative to the newest dump")
	f.BoolVar(&o.normalize, "normalize", false, "let every run count alike, however long it ran")
	f.StringVar(&o.versions, "versions", "all",
		"of a method whose code has several versions, keep all, newest, heaviest, or current with --against")
	f.StringArrayVar(&o.against, "against", nil, "with --versions current: the program, as for check")
	f.BoolVar(&o.asLLVM, "llvm-compat", false,
		"merge as llvm-profdata does: the first of several records that do not match is kept, and values new to a site "+
			"have no weight")
	f.StringVar(&o.flatten, "flatten", "", "base of the archives, to be put together with them into one")
	_ = cmd.RegisterFlagCompletionFunc("flatten", cli.CompleteArchives(-1))
	f.IntVarP(&o.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "archives to read at once")
	a.AddJSONFlag(cmd)
	o.failure.AddFlags(cmd)
	o.files.AddFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("versions",
		cobra.FixedCompletions([]string{"all", "newest", "heaviest", "current"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

type mergeReport struct {
	Archive    string            `json:"archive"`
	Inputs     []mergeInput      `json:"inputs"`
	Superseded []supersededInput `json:"superseded,omitempty"` // archives left out
	Skipped    []badInput        `json:"inputs_skipped,omitempty"`
	Dumps      int               `json:"dumps"`
	Bytes      int64             `json:"bytes"`
	DumpID     string            `json:"dump_id"`
	Counts     layout.Counts     `json:"counts"`
	Versions   int               `json:"methods_with_versions"`
	Unfit      int               `json:"methods_without_current_version,omitempty"`
	Doubtful   int               `json:"doubtful_profiles"`  // summed, perhaps of different methods
	Widened    int               `json:"widened_points"`     // points with more rows than the VM keeps
	Narrowed   *narrowing        `json:"narrowed,omitempty"` // result of --rows
	Lost       codec.Losses      `json:"lost"`
	NS         int64             `json:"ns"`
}

type narrowing struct {
	To       int `json:"receiver_rows"`
	Entries  int `json:"entries"` // entries that lost rows
	Rows     int `json:"rows_dropped"`
	Rejoined int `json:"rejoined_entries"` // entries that equal the VM's own again
}

func runMerge(ctx context.Context, a *cli.App, args []string, o *mergeOptions) error {
	begin := time.Now()
	a.Drafts = true
	versions, p, err := o.checkFlags(ctx, a, args)
	if err != nil {
		return err
	}
	b, err := p.mergeSound(ctx, a, o)
	if err != nil {
		return err
	}
	p.addToAccount(b.Internal())
	r := mergeReport{Archive: o.out, Inputs: p.inputs, Superseded: p.superseded,
		Skipped: append(p.bad, p.foreign...), Lost: codec.Losses{}}
	if o.flatten != "" {
		b, err = flattenOnBase(ctx, a, b, o)
	}
	if err == nil {
		err = r.finishMerge(ctx, a, b, versions, o)
	}
	if err != nil {
		return err
	}
	written, err := b.Commit(ctx, o.out)
	if err != nil {
		return err
	}
	r.Bytes, r.DumpID, r.Counts, r.NS = written.Bytes, fmt.Sprintf("%x", written.DumpID), written.Counts,
		time.Since(begin).Nanoseconds()
	err = a.Print(r, func() { r.printReport(a) })
	return cmp.Or(err, app.RefuseUnaccounted(written.Unaccounted))
}

func flattenOnBase(ctx context.Context, a *cli.App, merged *builder.Builder, o *mergeOptions) (b *builder.Builder,
	err error) {
	top, err := merged.Open("what was merged")
	if err != nil {
		return nil, err
	}
	defer top.Close()
	err = a.WithArchive(ctx, o.flatten, func(base *reader.Store) error {
		if _, layer, err := top.Base(); err == nil && !layer {
			return noLayers(base, o.flatten)
		}
		b, err = layers.Flatten(ctx, []*reader.Store{top, base})
		return err
	})
	return b, err
}

func noLayers(base *reader.Store, name string) error {
	if _, layer, err := base.Base(); err == nil && layer {
		return fmt.Errorf("%s is a layer, and the archives are none: exchange them, so that the base stands behind --flatten",
			name)
	}
	return fmt.Errorf("the archives are no layers, so that %s is no base of theirs: merge it with them without --flatten",
		name)
}

// checkFlags returns the versions of methods to keep, and the archives to merge.
func (o *mergeOptions) checkFlags(ctx context.Context, a *cli.App, args []string) (merging.Versions, *mergePlan,
	error) {
	versions := merging.Versions(o.versions)
	if (o.versions == currentVersions) != (len(o.against) > 0) {
		return "", nil, cli.Usagef("--versions current keeps what fits the program that --against names: give both")
	}
	if o.versions == currentVersions {
		versions = merging.AllVersions
	}
	if !slices.Contains([]merging.Versions{merging.AllVersions, merging.NewestVersion, merging.HeaviestVersion},
		versions) {
		return "", nil, cli.Usagef("--versions %s: it is one of all, newest, heaviest, current", o.versions)
	}
	if o.rows < -1 {
		return "", nil, cli.Usagef("--rows %d: a type profile has 0 rows or more", o.rows)
	}
	if cli.CheckOutput(o.out, o.flatten) != nil {
		return "", nil, cli.Usagef("-o %s is the base: name another file", o.out)
	}
	if o.jobs < 1 {
		return "", nil, cli.Usagef("--jobs %d: at least 1 archive is read at once", o.jobs)
	}
	p, err := planMerge(ctx, a, args, o)
	if err == nil && (o.failure.SkipsBad() || len(p.bad) == 0) {
		err = setWeights(p.inputs, o)
	}
	if err == nil && versions == merging.NewestVersion {
		err = checkDated(p.inputs, "--versions newest")
	}
	return versions, p, err
}

// finishMerge drops versions, narrows rows, and records the losses.
func (r *mergeReport) finishMerge(ctx context.Context, a *cli.App, b *builder.Builder, versions merging.Versions,
	o *mergeOptions) (err error) {
	var dropped int
	if o.versions == currentVersions {
		dropped, err = r.keepCurrent(ctx, a, b, o.against)
	} else {
		r.Versions, dropped, err = merging.KeepVersions(ctx, b.Internal(), versions)
	}
	if errors.Is(err, merging.ErrVersionOrder) {
		err = fmt.Errorf("%w: merge the archives of the single runs with --versions newest, or name the program with "+
			"--versions current --against PROGRAM", err)
	}
	if err != nil {
		return err
	}
	cut, err := r.narrowRows(ctx, b, o.rows)
	if err != nil {
		return err
	}
	r.Dumps, r.Doubtful = merging.Dumps(b.Internal()), int(b.Internal().Unmatchable())
	r.addLoss("profiles of versions of the code that were not kept", dropped)
	r.addUnmerged(b.Internal(), codec.LossKind(merging.Unmerged(o.asLLVM)))
	r.addLoss("rows of receivers, whose counts went to all others", cut)
	return nil
}

// narrowRows narrows type profiles to rows rows, unless rows is negative, and returns the number of rows lost. It
// counts the entries with more rows than the VM keeps.
func (r *mergeReport) narrowRows(ctx context.Context, b *builder.Builder, rows int) (cut int, err error) {
	if rows >= 0 {
		n, err := merge.NarrowRows(ctx, b, rows)
		if err != nil {
			return 0, err
		}
		r.Narrowed = &narrowing{rows, n.Entries, n.Rows, n.Joined}
		cut = n.Rows
	}
	r.Widened, err = merging.CountWidened(ctx, b.Internal())
	return cut, err
}

func (r *mergeReport) addLoss(what codec.LossKind, n int) {
	if n > 0 {
		r.Lost = append(r.Lost, codec.Loss{What: what, Count: n})
	}
}

// addUnmerged adds the entries that could not be summed, and their counts.
func (r *mergeReport) addUnmerged(b *profileset.Set, what codec.LossKind) {
	amounts := b.UnmergedAmounts() // FirstUnmerged forgets them
	parse.AddLoss(&r.Lost, codec.Loss{What: what, Count: int(b.Unmerged()), First: b.FirstUnmerged()}, amounts)
}

// FormatVersion returns the version of the format of new archives.
func (*mergeReport) FormatVersion() string { return schema.VersionString(schema.Version) }

func (r *mergeReport) printReport(a *cli.App) {
	for _, bad := range r.Skipped {
		fmt.Fprintf(a.ErrOut, "profarc: skipped: %s\n", escape.Printable(bad.Reason))
	}
	app.PrintReport(a.Out, reportText, r, nil)
}

// currentVersions is the value of --versions that keeps what fits a program.
const currentVersions = "current"

// keepCurrent drops the versions that do not fit the program, and returns the number of dropped profiles.
func (r *mergeReport) keepCurrent(ctx context.Context, a *cli.App, b *builder.Builder, against []string) (dropped int,
	err error) {
	s, err := b.Open("what was merged")
	if err != nil {
		return 0, err
	}
	defer s.Close()
	program, err := check.OpenProgram(ctx, a, against, s)
	if err != nil {
		return 0, err
	}
	defer program.Close()
	fitting, err := program.FittingVersions(ctx, s)
	if err != nil {
		return 0, err
	}
	fits := func(k layout.Key, code uint64) bool { return fitting[check.CodeVersion{Key: k, Code: code}] }
	r.Versions, r.Unfit, dropped, err = merging.KeepFitting(b.Internal(), fits)
	return dropped, err
}
