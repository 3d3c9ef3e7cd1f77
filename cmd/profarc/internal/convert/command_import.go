// Package convert has the commands that read and write the formats of other
// tools: import and export.
package convert

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/internal/parse"
	"github.com/profarc/profarc/layout"
)

type importOptions struct {
	out       string
	producer  string
	dumpTime  string
	run       string
	unordered bool
	salvage   bool
	runs      bool
	json      bool
	weighted  []string
	failure   string
	llvm      llvmImportOptions
	expansion int64
	given     []formatFlag // that were given
}

func ImportCommand(a *app.App) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE... -o ARCHIVE",
		Short: "Make an archive of what another tool wrote",
		Long: `Import reads profiles that another tool wrote and makes an archive of them. The format is
recognised by content, also behind gzip or zstd. FILE may be - for the standard input.

Several files of one format are summed: as llvm-profdata merge does if they are LLVM's, else as
profarc merge does, which counts no file twice. --failure-mode says what becomes of the import when
one is bad: with any nothing is written, with all and warn it is skipped, and the report says how
many of how many files were read. An empty file among several is always skipped.

What the archive cannot keep is counted and reported. The formats:

` + formatsText(),
		Example: `  java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData -jar app.jar >app.txt
  profarc import app.txt -o app.parc
  profarc import run-*.profraw --weighted 3,smoke.profraw -o app.parc --failure-mode all
  zstdcat app.txt.zst | profarc import - -o app.parc --producer "OpenJDK 17.0.15+6"`,
	}
	cmd.RunE = a.Run(func(ctx context.Context, args []string) error {
		o.given = givenFormatFlags(cmd.Flags(), importNames())
		return runImport(ctx, a, args, o)
	})
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "archive to write; its name ends in "+app.ArchiveExtension)
	f.StringVar(&o.producer, "producer", "", "who made the profiles, as info shows it")
	f.StringVar(&o.dumpTime, "time", "", "when the profiles were dumped, as 2006-01-02T15:04:05Z")
	f.StringVar(&o.run, "run", "", "name of the run: tells it from another that counted just the same, so that both can be merged")
	f.BoolVar(&o.unordered, "unordered", false, "forget the order of the methods in the file")
	f.BoolVar(&o.salvage, "salvage", false, "iprof: take what is whole of a file that is cut off or damaged")
	f.BoolVar(&o.runs, "runs", false, "jamaica: an archive for each run in the file: NAME.1"+app.ArchiveExtension+", NAME.2"+app.ArchiveExtension+", ...")
	f.BoolVar(&o.json, "json", false, "report in JSON")
	f.StringArrayVar(&o.weighted, "weighted", nil, "a further file and what its counts are multiplied by, as 3,FILE; may be given several times")
	f.StringVar(&o.failure, "failure-mode", failAny, "of several files, fail if any is bad, or if all are; warn is as all")
	f.Int64Var(&o.expansion, "max-expansion", parse.MaxExpansion, "how many times its size a compressed file may expand to; 0 for no bound")
	o.llvm.addTo(f)
	_ = cmd.RegisterFlagCompletionFunc("failure-mode", cobra.FixedCompletions([]string{failAny, failAll, failNo}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// config is what the archive will say of itself.
func (o *importOptions) config() (builder.Config, error) {
	c := builder.Config{Producer: o.producer}
	if o.dumpTime == "" {
		return c, nil
	}
	t, err := time.Parse(time.RFC3339, o.dumpTime)
	if err != nil {
		return c, app.Usagef("--time %s: write it as 2006-01-02T15:04:05Z", o.dumpTime)
	}
	c.DumpTime = t
	return c, nil
}

// check refuses options that mean nothing.
func (o *importOptions) check(sources []importSource) error {
	for _, s := range sources {
		if err := app.CheckArchiveName(o.out, s.name); err != nil {
			return err
		}
	}
	if o.failure != failAny && o.failure != failAll && o.failure != failNo {
		return app.Usagef("--failure-mode %s: it is one of %s, %s, %s", o.failure, failAny, failAll, failNo)
	}
	if o.runs && (len(sources) > 1 || sources[0].weight != 0) {
		return app.Usagef("--runs keeps the runs of one file apart: import each file by itself, without a weight")
	}
	if o.expansion < 0 {
		return app.Usagef("--max-expansion %d: it is how many times its size, or 0 for no bound", o.expansion)
	}
	return o.llvm.check()
}

func runImport(ctx context.Context, a *app.App, names []string, o importOptions) error {
	sources, err := importSources(names, o.weighted)
	if err != nil {
		return err
	}
	if err := o.check(sources); err != nil {
		return err
	}
	config, err := o.config()
	if err != nil {
		return err
	}
	writing := a.Meter("writing " + o.out)
	defer writing.Done()
	config.Progress = writing.Report
	begin := time.Now()
	c := ImportConfig{Config: config, Unordered: o.unordered, salvage: o.salvage, runs: o.runs, given: o.given, llvmRelease: o.llvm.release, expansion: cmp.Or(o.expansion, -1)}
	c.run.AsLLVM, c.skips = o.llvm.compat, o.failure != failAny
	profiles, skipped, err := readSources(ctx, a, sources, c)
	if err != nil {
		return err
	}
	read := time.Since(begin)
	if o.runs {
		return commitRuns(ctx, a, sources[0].name, o, profiles, read)
	}
	nameRun(profiles.Builder, o.run)
	written, err := profiles.Builder.Commit(ctx, o.out)
	if err != nil {
		return err
	}
	r := newImportReport(sources[0].name, o.out, profiles, written)
	r.sources(profiles, skipped)
	r.ReadNS, r.WriteNS = read.Nanoseconds(), (time.Since(begin) - read).Nanoseconds()
	if o.json {
		return a.PrintJSON(r)
	}
	r.print(a)
	return nil
}

// An importReport says what was read, what was written, and what was lost.
type importReport struct {
	Input   string         `json:"input"`
	Format  string         `json:"format"`
	Codec   string         `json:"codec,omitempty"`
	Facts   map[string]any `json:"facts,omitempty"` // of a single file
	Methods int            `json:"methods"`
	Entries int            `json:"entries"`
	Lost    []app.Loss     `json:"lost"`
	Archive string         `json:"archive"`
	Bytes   int64          `json:"bytes"`
	Base    string         `json:"base"`
	DumpID  string         `json:"dump_id"`
	Counts  layout.Counts  `json:"counts"`
	ReadNS  int64          `json:"read_ns"`
	WriteNS int64          `json:"write_ns"`

	notes []string // facts for who reads no JSON

	Inputs  []importedFile  `json:"inputs,omitempty"` // if there were several
	Read    int             `json:"inputs_read"`
	Skipped []skippedSource `json:"inputs_skipped,omitempty"`
}

func newImportReport(in, out string, p *imported, w builder.Report) *importReport {
	return &importReport{
		Input: in, Format: p.format, Codec: p.codec, Facts: p.facts, Methods: p.methods, Entries: p.entries, Lost: p.lost, notes: p.notes,
		Archive: out, Bytes: w.Bytes, Base: fmt.Sprintf("0x%x", w.Base), DumpID: fmt.Sprintf("%x", w.DumpID), Counts: w.Counts,
	}
}

// sources notes which files were read.
func (r *importReport) sources(p *imported, skipped []skippedSource) {
	r.Read, r.Skipped = len(p.files), skipped
	if r.given() > 1 {
		r.Facts, r.Inputs = nil, p.files
	}
}

// given is the number of files that there were.
func (r *importReport) given() int { return r.Read + len(r.Skipped) }

func (r *importReport) print(a *app.App) {
	r.printRead(a)
	r.printWritten(a)
	for _, note := range r.notes {
		fmt.Fprintln(a.Out, escape.Printable(note))
	}
	app.PrintLosses(a.Out, r.Lost)
}

func (r *importReport) printRead(a *app.App) {
	compressed := ""
	if r.Codec != "" {
		compressed = ", " + r.Codec
	}
	read := app.FormatDuration(time.Duration(r.ReadNS))
	if llvm := r.Format == "llvm"; llvm || r.given() > 1 {
		what := "profiles"
		if llvm {
			what = "functions"
		}
		fmt.Fprintf(a.Out, "read   %d of %d files (%s%s), %d %s, %s, %s\n", r.Read, r.given(), r.Format, compressed, r.Counts.Profiles, what, droppedText(r.Lost), read)
		return
	}
	fmt.Fprintf(a.Out, "read   %s (%s%s): %d methods, %d entries, %s\n", escape.Printable(r.Input), r.Format, compressed, r.Methods, r.Entries, read)
}

func (r *importReport) printWritten(a *app.App) {
	fmt.Fprintf(a.Out, "wrote  %s: %s, %d profiles, %d types, base %s, %s\n",
		escape.Printable(r.Archive), app.FormatSize(r.Bytes), r.Counts.Profiles, r.Counts.Types, r.Base, app.FormatDuration(time.Duration(r.WriteNS)))
}
