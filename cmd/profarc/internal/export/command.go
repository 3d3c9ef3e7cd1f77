// Package export implements the command export, which writes an archive in the format of another tool. Package formats
// does the work.
package export

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/formatflags"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/cli/formatadvice"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/reader"
)

type exportOptions struct {
	most   app.OutputLimit
	format string
	out    string

	exporters []codec.Exporter
	flags     *pflag.FlagSet
	of        formatflags.Flags
}

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	o := exportOptions{exporters: formats.Exporters()}
	names := formatNames(o.exporters)
	cmd := a.NewCommand(helpText, cli.Args(1, 1, "one archive"),
		func(ctx context.Context, args []string) error { return runExport(ctx, a, args[0], &o) },
		"{formats}", formatflags.DescribeFormats(o.exporters))
	cmd.ValidArgsFunction = cli.CompleteArchives(1, cli.ProfileExtensions...)
	f := cmd.Flags()
	f.StringVarP(&o.format, "type", "t", "", "format to write: "+strings.Join(names, ", "))
	f.StringVarP(&o.out, "output", "o", "-", "file to write, - for the standard output")
	a.AddJSONFlag(cmd)
	o.most.AddFlag(f)
	o.flags, o.of = f, formatflags.AddFlags(f, o.exporters)
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func formatNames(exporters []codec.Exporter) []string {
	return lists.Map(exporters, func(e codec.Exporter) string { return e.Format().Name })
}

func (o *exportOptions) chosenExporter() (codec.Exporter, error) {
	i := slices.IndexFunc(o.exporters, func(e codec.Exporter) bool { return e.Format().Name == o.format })
	if i < 0 {
		names := strings.Join(formatNames(o.exporters), ", ")
		if o.format == "" {
			return nil, cli.Usagef("name a format: -t with one of %s", names)
		}
		if near := o.nearFormats(); len(near) > 0 {
			return nil, cli.Usagef("-t %s: there is no such format: did you mean %s?", o.format, strings.Join(near, " or "))
		}
		return nil, cli.Usagef("-t %s: there is no such format: use one of %s", o.format, names)
	}
	return o.exporters[i], o.of.RefuseForeign(o.flags, "-t is", o.format)
}

// otherNames are names by which people know formats.
var otherNames = map[string][]string{
	"methoddata":  {"printmethoddata", "mdo", "hotspot", "java"},
	"profdata":    {"llvm", "clang", "profraw", "indexed", "rust"},
	"iprof":       {"graal", "graalvm", "native-image"},
	"folded":      {"collapsed", "stacks", "flamegraph", "svg", "perf"},
	"pprof":       {"pb.gz", "google", "speedscope"},
	"gopgo":       {"pgo", "default.pgo", "go", "preprofile"},
	"lcov":        {"coverage", "gcov", "info", "genhtml"},
	"gcc-autofdo": {"gcc", "autofdo", "afdo", "create_gcov"},
}

// nearFormats returns the formats with a name, or one of otherNames, that is like what was typed.
func (o *exportOptions) nearFormats() []string {
	known := cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range formatNames(o.exporters) {
		known.AddCommand(&cobra.Command{Use: name, SuggestFor: otherNames[name], Run: func(*cobra.Command, []string) {}})
	}
	return slices.Compact(known.SuggestionsFor(strings.ToLower(o.format)))
}

type exportReport struct {
	Archive string       `json:"archive"`
	Format  string       `json:"format"`
	Output  string       `json:"output"`
	Bytes   int64        `json:"bytes"`
	Lost    codec.Losses `json:"lost"`
	NS      int64        `json:"ns"`
}

func runExport(ctx context.Context, a *cli.App, path string, o *exportOptions) error {
	exporter, err := o.chosenExporter()
	if err != nil {
		return err
	}
	if a.Streams.IsOutput(o.out) {
		o.out = "-"
	}
	if a.JSON && o.out == "-" {
		return cli.Usagef("--json reports on a file: name it with -o")
	}
	if err := cli.CheckOutput(o.out, path); err != nil {
		return err
	}
	r := exportReport{Archive: path, Format: o.format, Output: o.out}
	begin := time.Now()
	err = a.WithStore(ctx, path, func(s *reader.Store) error { return exportStore(ctx, a, s, exporter, o.most, &r) })
	r.NS = time.Since(begin).Nanoseconds()
	switch {
	case err != nil:
		return formatflags.ExplainError(err)
	case a.JSON:
		err = a.PrintJSON(r)
	case o.out == "-":
		formatadvice.PrintLosses(a.ErrOut, r.Lost)
	default:
		fmt.Fprintf(a.Out, "wrote  %s (%s): %s, %s\n", escape.Printable(r.Output), r.Format, cli.FormatSize(r.Bytes),
			cli.FormatDuration(time.Duration(r.NS)))
		formatadvice.PrintLosses(a.Out, r.Lost)
	}
	return cmp.Or(err, app.RefuseUnaccountedLosses(r.Lost))
}

func exportStore(ctx context.Context, a *cli.App, s *reader.Store, e codec.Exporter, most app.OutputLimit,
	r *exportReport) error {
	write := func(w io.Writer) (err error) {
		size := &sizedWriter{w: most.LimitWriter(w, s)}
		r.Lost, err = formats.Export(ctx, size, s, e)
		r.Bytes = size.n
		return err
	}
	if r.Output == "-" {
		return writeStdout(a, e, write)
	}
	return cli.Publish(ctx, r.Output, write)
}

// writeStdout writes an export to the standard output. It keeps every byte in a file or pipe, and escapes control
// characters on a terminal.
func writeStdout(a *cli.App, e codec.Exporter, write func(w io.Writer) error) error {
	if !a.Streams.OutTerminal {
		w := bufio.NewWriter(a.Streams.RawOut)
		return cmp.Or(write(w), w.Flush())
	}
	if e.Format().Binary {
		return cli.Usagef("-t %s is no text for a terminal: name a file with -o, or pipe it", e.Format().Name)
	}
	return write(a.Out)
}

type sizedWriter struct {
	w io.Writer
	n int64
}

func (s *sizedWriter) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.n += int64(n)
	return n, err
}
