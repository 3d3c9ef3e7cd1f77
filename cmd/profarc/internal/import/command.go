// Package imports implements the command import, which makes archives of the profiles of other tools. Package formats
// does the work.
package imports

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/formatflags"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type importOptions struct {
	out       string
	producer  string
	dumpTime  string
	run       string
	unordered bool
	weighted  []string
	failure   cli.FailureMode
	files     cli.FileArguments
	expansion int64

	importers []codec.Importer
	flags     *pflag.FlagSet
	of        formatflags.Flags
}

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	o := importOptions{importers: formats.Importers()}
	cmd := a.NewCommand(helpText, cobra.ArbitraryArgs,
		func(ctx context.Context, args []string) error { return runImport(ctx, a, args, &o) },
		"{formats}", formatflags.DescribeFormats(o.importers))
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "archive to write; its name ends in "+cli.ArchiveExtension)
	f.StringVar(&o.producer, "producer", "", "who made the profiles, as info shows it")
	f.StringVar(&o.dumpTime, "time", "", "when the profiles were dumped, as 2006-01-02T15:04:05Z")
	f.StringVar(&o.run, "run", "",
		"name of the run: tells it from another that counted just the same, so that both can be merged")
	f.BoolVar(&o.unordered, "unordered", false, "forget the order of the methods in the file")
	a.AddJSONFlag(cmd)
	f.StringArrayVar(&o.weighted, "weighted", nil,
		"a further file and what its counts are multiplied by, as 3,FILE; may be given several times")
	o.failure.AddFlags(cmd)
	o.files.AddFlags(cmd)
	f.Int64Var(&o.expansion, "max-expansion", parse.MaxExpansion,
		"how many times its size a compressed file may expand to; 0 for no bound")
	o.flags, o.of = f, formatflags.AddFlags(f, o.importers)
	return cmd
}

func importInputs(a *cli.App, names, weighted []string) ([]formats.Input, error) {
	inputs := formats.Files(names...)
	for _, w := range weighted {
		weight, name, ok := strings.Cut(w, ",")
		if !ok || name == "" {
			return nil, cli.Usagef("--weighted %s: write it as 3,FILE", w)
		}
		parsed, err := merging.ParseWeight(weight)
		if err != nil {
			return nil, cli.Usagef("--weighted %s: %w", w, err)
		}
		inputs = append(inputs, formats.Input{Name: name, Weight: parsed})
	}
	stdin := 0
	for i := range inputs {
		if inputs[i].Name == "-" {
			inputs[i].Name = "standard input"
			inputs[i].Reader = a.In
			stdin++
		}
	}
	if stdin > 1 || stdin == 1 && a.In == nil {
		return nil, cli.Usagef("-: the standard input can be read once")
	}
	if len(inputs) == 0 {
		return nil, cli.Usagef("import: 0 arguments, want the files to import")
	}
	return inputs, nil
}

func argumentOf(in formats.Input) string {
	if in.Reader != nil {
		return "-"
	}
	return in.Name
}

func (o *importOptions) keepsRuns() bool {
	return o.flags.Changed("runs") && o.flags.Lookup("runs").Value.String() == "true"
}

func (o *importOptions) checkFlags(inputs []formats.Input) error {
	for _, in := range inputs {
		if err := cli.CheckArchiveName(o.out, argumentOf(in)); err != nil {
			return err
		}
	}
	if o.keepsRuns() && (len(inputs) > 1 || inputs[0].Weight != 0) {
		return cli.Usagef("--runs keeps the runs of one file apart: import each file by itself, without a weight")
	}
	if o.expansion < 0 {
		return cli.Usagef("--max-expansion %d: it is how many times its size, or 0 for no bound", o.expansion)
	}
	return nil
}

func (o *importOptions) builderConfig() (builder.Config, error) {
	c := builder.Config{Producer: o.producer, SpillFolder: filepath.Dir(o.out)}
	if o.dumpTime == "" {
		return c, nil
	}
	t, err := time.Parse(time.RFC3339, o.dumpTime)
	if err != nil {
		return c, cli.Usagef("--time %s: write it as 2006-01-02T15:04:05Z", o.dumpTime)
	}
	c.DumpTime = t
	return c, nil
}

// expandFiles returns the files that the arguments name. What is no profile in a folder is skipped.
func (o *importOptions) expandFiles(ctx context.Context, a *cli.App, args []string) (names []string,
	skipped []skippedFile, err error) {
	files, err := o.files.Expand(a, args, &o.failure)
	for _, f := range files {
		if f.Folder != "" {
			_, err := formats.Detect(ctx, formats.Input{Name: f.Name})
			if errors.Is(err, formats.ErrUnknown) || errors.Is(err, formats.ErrArchive) {
				skipped = append(skipped, reportSkipped(a, f.Name, err))
				continue
			}
		}
		names = append(names, f.Name)
	}
	if err == nil && len(files) > 0 && len(names) == 0 {
		err = fmt.Errorf("%s: no profile is in it", files[0].Folder)
	}
	return names, skipped, err
}

func runImport(ctx context.Context, a *cli.App, args []string, o *importOptions) error {
	names, skipped, err := o.expandFiles(ctx, a, args)
	if err != nil {
		return err
	}
	inputs, err := importInputs(a, names, o.weighted)
	if err != nil {
		return err
	}
	if err := o.checkFlags(inputs); err != nil {
		return err
	}
	config, err := o.builderConfig()
	if err != nil {
		return err
	}
	expected, err := o.failure.ReadNames(a)
	if err != nil {
		return err
	}
	writing := a.Meter("writing " + o.out)
	defer writing.Done()
	config.Progress = writing.Report
	begin := time.Now()
	in, err := importFiles(ctx, a, inputs, formats.ImportOptions{
		Config: config, Unordered: o.unordered, Importers: o.importers, SkipBad: o.failure.SkipsBad(),
		Expect: o.failure.Expect, ExpectNames: expected,
		MaxExpansion: cmp.Or(o.expansion, -1),
		Accept:       func(in formats.Input, i codec.Importer) error { return o.checkFormat(in, i, len(inputs)) },
		OnSkip:       func(in formats.Input, why error) { skipped = append(skipped, reportSkipped(a, argumentOf(in), why)) },
	})
	if err != nil {
		return err
	}
	w := importWriter{ctx: ctx, a: a, o: o, input: argumentOf(inputs[0]), in: in, skipped: skipped,
		read: time.Since(begin)}
	if o.keepsRuns() {
		return w.writeRuns()
	}
	return w.writeArchive()
}

// checkFormat rejects flags that the format of a file lacks.
func (o *importOptions) checkFormat(in formats.Input, i codec.Importer, inputs int) error {
	name := i.Format().Name
	if err := o.of.RefuseForeign(o.flags, in.Name+" is", name); err != nil {
		return err
	}
	if _, ok := i.(*llvm.Importer); ok && in.Reader != nil && inputs > 1 && o.failure.SkipsBad() {
		// Earlier versions checked such files before they read them.
		return cli.Usagef("the standard input cannot be read twice: name a file, or use --failure-mode any")
	}
	return nil
}

// importFiles imports files with a progress meter. It rewrites errors in terms of the command line.
func importFiles(ctx context.Context, a *cli.App, inputs []formats.Input,
	o formats.ImportOptions) (*formats.Imported, error) {
	var mu sync.Mutex
	meter := a.Meter("")
	name := ""
	o.Progress = func(of string, done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if of != name {
			meter.Done()
			meter = a.Meter("reading " + of)
			name = of
		}
		meter.Report(done, total)
	}
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		meter.Done()
	}()
	in, err := formats.Import(ctx, inputs, o)
	if len(inputs) > 1 && (errors.Is(err, llvm.ErrCut) || errors.Is(err, formats.ErrEmpty)) {
		return nil, fmt.Errorf("%w: --failure-mode %s leaves it out", err, cli.FailAll)
	}
	return in, formatflags.ExplainError(err)
}

func reportSkipped(a *cli.App, name string, reason error) skippedFile {
	if errors.Is(reason, formats.ErrEmpty) {
		reason = &formats.InputError{Name: name, Err: formats.ErrEmpty}
	}
	why := app.Message(formatflags.ExplainError(reason))
	fmt.Fprintf(a.ErrOut, "profarc: skipped: %s\n", why)
	return skippedFile{name, why}
}

// Recognise returns the format of a file; ok is false if import does not read it.
func Recognise(path string) (format string, ok bool) {
	i, err := formats.Detect(context.Background(), formats.Input{Name: path})
	if err != nil {
		return "", false
	}
	return i.Format().Name, true
}

// setRunName records --run, which distinguishes the dump from a dump of another run with equal counts.
func setRunName(b *builder.Builder, name string) {
	if name == "" {
		return
	}
	set := b.Internal()
	set.AddProperty(schema.PropertyRun, name)
	set.NameDump(name)
}

// OpenProfile imports a file, or - for the standard input, into memory. It prints what was read and lost to the
// standard error. notArchive is the error of opening the file as an archive, or nil.
func OpenProfile(ctx context.Context, a *cli.App, name string, notArchive error) (*reader.Store, error) {
	begin := time.Now()
	inputs, err := importInputs(a, []string{name}, nil)
	if err != nil {
		return nil, err
	}
	if name == "-" {
		a.In = nil // it can be read once
	}
	in, err := importFiles(ctx, a, inputs, formats.ImportOptions{})
	switch {
	case err != nil && notArchive != nil &&
		(errors.Is(err, formats.ErrEmpty) || strings.Contains(err.Error(), formats.ErrUnknown.Error())):
		return nil, notArchive
	case err != nil:
		return nil, explainForReader(a, name, err)
	}
	s, err := openBuilt(in.Builder, inputs[0].Name)
	if err != nil {
		return nil, err
	}
	r := newReport(inputs[0].Name, in, s.Header().Counts, time.Since(begin))
	r.printReport(a.ErrOut)
	return s, nil
}

// openBuilt opens the profiles of a builder, unless they differ from their inputs without a reason.
func openBuilt(b *builder.Builder, name string) (*reader.Store, error) {
	data, built, err := b.Bytes()
	if err == nil {
		err = app.RefuseUnaccounted(built.Unaccounted)
	}
	if err != nil {
		return nil, err
	}
	m, err := archive.FromBytes(name, data, archive.Options{Unchecked: true})
	if err != nil {
		return nil, err
	}
	return reader.New(m), nil
}

// explainForReader advises to import a file first if that needs flags that other commands lack.
func explainForReader(a *cli.App, name string, err error) error {
	e := &layout.Error{File: name, Offset: -1, Kind: layout.ErrFormat}
	switch {
	case errors.Is(err, formats.ErrArchive):
		e.Detail = "an archive is in it, compressed or in a pipe"
		e.Advice = "decompress it into a file of its own (gzip -d, zstd -d), and name that"
	case strings.Contains(a.Advice(err), "--"):
		e.Detail = strings.TrimPrefix(app.Message(err), name+": ")
		e.Advice = "give that flag to " + cli.ImportCommand(name) + ", and name the archive here"
	default:
		return err
	}
	return e
}
