// Package show implements the command show, which prints profile points, calling contexts and tables of an archive.
package show

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type showOptions struct {
	filter    methods.Filter
	base      string
	loader    string
	classPath string
	by        string
	min       uint64
	json      bool
	lookup    bool
	callers   []string
	contexts  bool
	source    llvmSourceOptions
	most      app.OutputLimit
	table     tableOptions
	terminal  terminal.Options
	screen    *terminal.Screen
}

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	var o showOptions
	cmd := a.NewCommand(helpText, cli.Args(1, 2, "an archive and at most one method"),
		func(ctx context.Context, args []string) error { return runCommand(ctx, a, args, o) }, "{names}", terminal.Help)
	cmd.ValidArgsFunction = completeArguments
	f := cmd.Flags()
	o.filter.AddFlags(f)
	f.StringVar(&o.loader, "loader", "", "class loader of METHOD, boot for none (without it: boot, app or platform)")
	layers.AddFlag(f, &o.base)
	f.StringVar(&o.classPath, "class-path", "", "class path with the profiled code, to print bytecodes and source lines")
	f.StringArrayVar(&o.callers, "caller", nil, methods.CallerUsage)
	f.BoolVar(&o.contexts, "contexts", false, "sampled programs: print every calling context of a function, too")
	f.StringVar(&o.by, "by", "", "the hottest first: "+strings.Join(methods.MeasureNames(), ", "))
	f.Uint64Var(&o.min, "min", 0, "least invocations of a method, or least sum of --by")
	a.AddJSONFlag(cmd)
	f.BoolVar(&o.lookup, "lookup", false, "print the id of METHOD, the layer that has it, and how long its lookup took")
	o.most.AddFlag(f)
	o.source.addFlags(f)
	o.table.addFlags(f)
	o.terminal.AddFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(methods.MeasureNames(),
		cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// completeArguments completes the archive, and then the method.
func completeArguments(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return cli.CompleteArchives(1, cli.ProfileExtensions...)(cmd, args, typed)
	}
	s, err := reader.Open(args[0], archive.Options{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer s.Close()
	return methods.CompleteNames(s, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func runCommand(ctx context.Context, a *cli.App, args []string, o showOptions) error {
	o.json = a.JSON
	by, err := methods.ChosenMeasure(o.by)
	if err != nil {
		return err
	}
	if err := o.checkFlags(args); err != nil {
		return err
	}
	if o.lookup {
		return o.runLookup(ctx, a, args[0], args[1])
	}
	return layers.WithStore(ctx, a, args[0], o.base, func(s *reader.Store) error {
		return o.terminal.Run(a, func(screen *terminal.Screen) error {
			o.screen, screen.Domain = screen, s.Header().Domain
			return o.showSelected(ctx, a, s, args[1:], by)
		})
	})
}

func (o *showOptions) checkFlags(args []string) error {
	if len(args) == 1 && len(o.callers) > 0 {
		return cli.Usagef("--caller needs one method: name it after the archive")
	}
	if o.lookup && (len(args) == 1 || !o.filter.IsEmpty() || o.by != "" || o.min > 0 || o.classPath != "") {
		return cli.Usagef("--lookup needs a METHOD, and takes no filters and no --class-path")
	}
	if o.classPath != "" && o.json && o.source.path == "" {
		return cli.Usagef("--class-path adds code for people: leave out --class-path or --json, or name the sources with " +
			"--source-path for both in JSON")
	}
	if err := o.source.checkFlags(len(args) > 1 || !o.unfiltered(), o.table.name != ""); err != nil {
		return err
	}
	return o.table.checkFlags(len(args), !o.unfiltered())
}

func (o *showOptions) showSelected(ctx context.Context, a *cli.App, s *reader.Store, key []string,
	by *analyze.Measure) error {
	if o.source.path != "" && o.classPath == "" && !o.source.wantsSource() && s.Header().Domain != layout.DomainSampled {
		return cli.Usagef("--source-path is where the source of a program lies: name the program with --class-path, or " +
			"with --binary")
	}
	out := o.most.LimitWriter(cli.ContextWriter(ctx, a.Out), s)
	sel := methods.NewSelection(s.Header().Domain, o.filter, o.min, by)
	sel.Loader = o.loader
	sel.HottestFirst = by != nil
	if o.source.wantsSource() {
		if err := o.source.openPrograms(s); err != nil {
			return err
		}
		if o.source.file != "" {
			return o.source.showFiles(out, a.ErrOut, o.screen, o.json)
		}
		o.source.opened.noteReasons(a.ErrOut)
	}
	switch {
	case o.table.name != "":
		return showTable(ctx, out, o.screen, s, o.table, o.json)
	case len(key) > 0:
		return o.showMethod(ctx, out, a.ErrOut, s, key[0], sel)
	case o.json && o.unfiltered() && !o.source.wantsSource() && o.classPath == "":
		return jsondump.WriteArchive(out, s)
	}
	return o.showMethods(out, s, sel.Methods(ctx, s), o.noMatchError)
}

func (o *showOptions) noMatchError(s *reader.Store) error {
	err := o.filter.CheckMatches(s)
	if err == nil && o.loader != "" {
		err = fmt.Errorf("%s: no method of the class loader %s passes the filters", s.Mapping().Name(), o.loader)
	}
	return err
}

func (o *showOptions) unfiltered() bool {
	return o.filter.IsEmpty() && o.loader == "" && o.by == "" && o.min == 0
}

func (o *showOptions) showMethod(ctx context.Context, w, notes io.Writer, s *reader.Store, spelled string,
	sel methods.Selection) error {
	key, sites, err := methods.MethodAndCallers(spelled, o.callers)
	if err != nil {
		return err
	}
	if len(sites) > 0 {
		return o.showInContext(ctx, w, notes, s, key, sites)
	}
	m, err := methods.FindFirst(s, methods.ParseKeys(s.Header().Domain, key, o.loader))
	if err == nil {
		wanted, err := sel.SelectsMethod(s, m)
		if err != nil || !wanted {
			return cmp.Or(err, fmt.Errorf("%s: %s is there, and the filters leave it out", s.Mapping().Name(), key))
		}
		return o.showMethods(w, s, func(yield func(reader.Method, error) bool) { yield(m, nil) }, nil)
	}
	if !errors.Is(err, reader.ErrNotFound) {
		return err
	}
	sel.Whole = match.New(key)
	return o.showMethods(w, s, sel.Methods(ctx, s), func(s *reader.Store) error {
		err := methods.MissingError(s, key, o.loader)
		if !o.unfiltered() {
			err = fmt.Errorf("%w, or the filters leave it out", err)
		}
		return err
	})
}

func (o *showOptions) showMethods(w io.Writer, s *reader.Store, methods iter.Seq2[reader.Method, error],
	nothing func(*reader.Store) error) error {
	next, stop := iter.Pull2(methods)
	defer stop()
	first, err, ok := next()
	if !ok && nothing != nil {
		err = nothing(s)
	}
	if err != nil {
		return err
	}
	all := func(yield func(reader.Method, error) bool) {
		for m := first; ok && yield(m, err); {
			m, err, ok = next()
		}
	}
	switch {
	case o.source.opened != nil && o.json:
		return o.source.opened.writeJSON(w, all)
	case o.json && o.classPath != "":
		return o.listJSON(w, s, all)
	case o.json:
		return jsondump.WriteMethods(w, s, all)
	}
	return o.printMethods(w, s, all)
}

func (o *showOptions) printMethods(w io.Writer, s *reader.Store, methods iter.Seq2[reader.Method, error]) error {
	classPath := o.classPath
	sourcePath := o.source.path
	if o.source.opened != nil {
		classPath = "" // LLVM's functions alone are shown
		sourcePath = ""
	}
	program, err := openProgram(classPath, sourcePath, s)
	if err != nil {
		return err
	}
	defer program.Close()
	p := newPrinter(w, s, o.screen, newLazySamples(s, sourcePath), program)
	p.contexts = o.contexts
	p.source = o.source.opened
	n := 0
	for m := range poll.Values(methods, &err) {
		if n++; n > 1 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		err = p.printAndFlush(m)
	}
	return err
}
