// Package check implements the command check, which compares profiles with code.
package check

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/reader"
)

// refuseUnrelated returns an error if no profile was selected, or if the code belongs to another program.
func (o *checkOptions) refuseUnrelated(r *report.Check, found *fit.Report, against Program) error {
	flags := o.filter.FlagsText()
	switch {
	case found.Methods == 0 && flags != "":
		return fmt.Errorf("nothing of %s can be checked: no method matches %s", r.Archive, flags)
	case found.Methods == 0:
		return fmt.Errorf("nothing of %s can be checked: it has no methods", r.Archive)
	case against.related != nil:
		err := against.related()
		if err != nil && flags != "" {
			return fmt.Errorf("%s has not one class of the profiles of %s that %s choose: check without", r.Against,
				r.Archive, flags)
		}
		if err != nil {
			return fmt.Errorf("%s is not the code of %s: %w", r.Against, r.Archive, err)
		}
	}
	if against.stripped && found.Profiles[fit.Exact]+found.Profiles[fit.Renamed] == 0 {
		return &cli.ExitError{Code: ExitUnchecked, Err: fmt.Errorf("%s has no symbols, and no function with the hash of %s: "+
			"it may have another instrumentation: name the program as it was before it was stripped", r.Against, r.Archive)}
	}
	if len(found.Profiles) == 0 {
		return fmt.Errorf("nothing of %s can be checked: no method that was selected has a profile", r.Archive)
	}
	return nil
}

type checkOptions struct {
	base       string
	against    []string
	old        []string
	rewrite    string
	renames    bool
	confidence float64
	failBelow  float64
	minChecked float64
	top        int
	all        bool
	filter     methods.Filter
	screen     terminal.Options
}

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	var o checkOptions
	var cmd *cobra.Command
	cmd = a.NewCommand(helpText, cli.Args(1, 1, "one archive"), func(ctx context.Context, args []string) error {
		if o.rewrite != "" && !cmd.Flags().Changed("fail-below") {
			o.failBelow = 0 // the new archive has what remains
		}
		return runCheck(ctx, a, args[0], o)
	}, "{separator}", listSeparator, "{names}", terminal.Help)
	cmd.ValidArgsFunction = cli.CompleteArchives(1, cli.ProfileExtensions...)
	f := cmd.Flags()
	f.StringArrayVar(&o.against, "against", nil,
		"the code: a class path, in one or more parts, pid:N, an archive, or profiles of another tool (default what the "+
			"archive records)")
	layers.AddFlag(f, &o.base)
	f.StringArrayVar(&o.old, "old", nil, "of JVMs: class path with the code that was profiled, in one or more parts")
	f.StringVar(&o.rewrite, "rewrite", "", "archive to write, adapted to the code")
	f.BoolVar(&o.renames, "renames", true,
		"let --rewrite give renamed methods and classes their new names; otherwise it leaves them out")
	f.Float64Var(&o.confidence, "confidence", fit.DefaultConfidence,
		"least confidence, from 0 to 1, at which a point is moved")
	f.Float64Var(&o.failBelow, "fail-below", cli.DefaultKept,
		"exit with 1 if a smaller share of all events, from 0 to 1, remains; 0 accepts all, as does --rewrite")
	f.Float64Var(&o.minChecked, "min-checked", cli.DefaultChecked,
		"exit with 4 if a smaller share of the hot part, from 0 to 1, was checked; 0 accepts all")
	f.IntVarP(&o.top, "top", "n", 20, "misfits to list")
	f.BoolVar(&o.all, "all", false, "list every profile in JSON, including those that fit")
	a.AddJSONFlag(cmd)
	o.filter.AddFlags(f)
	o.screen.AddFlags(cmd)
	return cmd
}

func (o *checkOptions) checkFlags(a *cli.App, path string) error {
	switch {
	case o.top < 0:
		return cli.Usagef("--top %d: it must not be negative", o.top)
	case o.all && !a.JSON:
		return cli.Usagef("--all is for --json")
	case o.base != "" && o.rewrite != "":
		return cli.Usagef("--rewrite writes one archive: rewrite %s without its base, or put both together with profarc "+
			"merge --flatten", path)
	}
	err := cmp.Or(cli.CheckShare("--confidence", o.confidence), cli.CheckShare("--fail-below", o.failBelow),
		cli.CheckShare("--min-checked", o.minChecked))
	if err != nil || o.rewrite == "" {
		return err
	}
	return o.checkRewrite(path)
}

// checkRewrite returns an error if --rewrite is not an archive name, or is an input.
func (o *checkOptions) checkRewrite(path string) error {
	if filepath.Ext(o.rewrite) != cli.ArchiveExtension {
		return cli.Usagef("--rewrite %s: the names of archives end in %s", o.rewrite, cli.ArchiveExtension)
	}
	for _, in := range slices.Concat([]string{path}, o.against, o.old) {
		if cli.CheckOutput(o.rewrite, in) != nil {
			return cli.Usagef("--rewrite %s is an input: name another file", o.rewrite)
		}
	}
	return nil
}

func runCheck(ctx context.Context, a *cli.App, path string, o checkOptions) error {
	if err := o.checkFlags(a, path); err != nil {
		return err
	}
	return layers.WithStore(ctx, a, path, o.base, func(s *reader.Store) error {
		against, err := OpenProgram(ctx, a, o.against, s)
		if errors.Is(err, ErrNotRecorded) {
			err = cli.Usagef("%w", err)
		}
		if err != nil {
			return err
		}
		defer against.Close()
		options := o.fitOptions(s)
		var old Program
		if len(o.old) > 0 {
			old, err = openClasses(classfile.SplitPath(strings.Join(o.old, listSeparator)), s.Header())
			if err != nil {
				return err
			}
			defer old.Close()
			options.Old = old.Code
		}
		return compareCode(ctx, a, s, against, old, options, o)
	})
}

func (o *checkOptions) fitOptions(s *reader.Store) fit.Options {
	f := fit.Options{Confidence: max(o.confidence, 1e-9), Top: o.top, KeepNames: !o.renames,
		Methods: o.filter.KeyFilter(s.Header().Domain)}
	if o.rewrite != "" {
		config := builder.ConfigOf(s.Header())
		config.Fingerprint = [16]byte{} // the program differs; the dump is the same
		config.SpillFolder = filepath.Dir(o.rewrite)
		f.Into = builder.New(s.Header().Domain, config)
	}
	return f
}

func compareCode(ctx context.Context, a *cli.App, s *reader.Store, against, old Program, f fit.Options,
	o checkOptions) error {
	r := against.newReport(s)
	if o.all {
		f.Each = func(v *fit.Verdict) error { return r.AddVerdict(s, v) }
	}
	found, err := fit.Check(ctx, s, against.Code, f)
	if err == nil {
		err = o.refuseUnrelated(r, found, against)
	}
	if err == nil && old.related != nil {
		if unrelated := old.related(); unrelated != nil {
			err = fmt.Errorf("--old %s is not the code of %s: %w", old.Name, r.Archive, unrelated)
		}
	}
	if err == nil {
		err = r.SetResult(s, found, cmp.Or(o.failBelow, cli.DefaultKept), o.minChecked)
	}
	if err == nil && against.profiles != nil {
		var now *compare.Report
		now, err = compare.Stores(ctx, s, against.profiles, compare.Options{Top: f.Top, Methods: f.Methods})
		if err == nil {
			r.NoLongerCertain = &now.NoLongerCertain
		}
	}
	if err != nil {
		return err
	}
	r.ByName = found.ByName
	if err := r.CompareLoaders(s, against.loaders); err != nil {
		return err
	}
	if o.rewrite != "" && r.ComparedAny() {
		written, err := f.Into.Commit(ctx, o.rewrite)
		if err != nil {
			return err
		}
		r.Rewritten = &report.CheckRewritten{Archive: o.rewrite, Bytes: written.Bytes, Counts: written.Counts,
			Rewritten: found.Rewritten}
	}
	err = o.screen.Print(a, s.Header().Domain, r, func(screen *terminal.Screen) { printCheck(a, screen, r) })
	return cmp.Or(err, o.exitError(r))
}

// ExitUnchecked is the exit code if too little was checked for a meaningful score.
const ExitUnchecked = 4

// exitError returns the error that ends the command; nil if the archive fits or the loss is accepted.
func (o *checkOptions) exitError(r *report.Check) error {
	lost := r.Verdict == fit.Changed || r.Verdict == fit.Gone
	switch {
	case r.Verdict == fit.Unchecked:
		return &cli.ExitError{Code: ExitUnchecked, Err: o.uncheckedError(r)}
	case lost && o.failBelow > 0:
		return fmt.Errorf("%s: %s in %s: %s of all events remain, less than the %s of --fail-below", r.Archive, r.Verdict,
			r.Against, cli.FormatPercentDown(1-r.Lost), cli.FormatPercentDown(o.failBelow))
	}
	return nil
}

func (o *checkOptions) uncheckedError(r *report.Check) error {
	if !r.ComparedAny() {
		return fmt.Errorf("nothing of %s can be checked against %s: %s: name the code that its methods are of", r.Archive,
			r.Against, uncheckedText(r.Reasons))
	}
	return fmt.Errorf("%s is unchecked: %s of the hot part was compared, less than the %s of --min-checked: %s", r.Archive,
		cli.FormatPercentDown(r.HotChecked), cli.FormatPercentDown(o.minChecked), uncheckedText(r.Reasons))
}

func (c *Program) newReport(s *reader.Store) *report.Check {
	return &report.Check{Archive: s.Mapping().Name(), Against: c.Name, Domain: s.Header().Domain.String(),
		Missing: c.missing, Origin: c.origin}
}
