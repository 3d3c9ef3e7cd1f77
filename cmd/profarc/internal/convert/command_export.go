package convert

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/hotspot"
	"github.com/profarc/profarc/internal/dump"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/reader"
)

type exportOptions struct {
	most      app.OutputLimit
	format    string
	out       string
	json      bool
	method    string   // replay: to be compiled
	loader    string   // of that method
	classPath []string // replay: where its class files are
	llvm      llvmExportOptions
	iprof     iprofExportOptions
	lcov      lcovExportOptions
	given     []formatFlag // that were given
}

// An exportFormat is a format that export writes.
type exportFormat struct {
	name  string
	about string
	write func(w io.Writer, s *reader.Store, o exportOptions) ([]app.Loss, error)
	// binary formats are not written to a terminal.
	binary bool
}

var exportFormats = []exportFormat{
	{name: "methoddata", about: "text as java -XX:+PrintMethodData prints it (domain hotspot)", write: writeMethodData},
	{name: "json", about: "everything, in the JSON that docs/format.md defines", write: writeDump},
	{name: "text", about: "everything, in text for review and version control, see docs/text.md; import reads it again", write: writeText},
	{name: "replay", about: "the compilation of one method for java -XX:+ReplayCompiles of JDK 25 (domain hotspot)", write: writeReplay},
	{name: "profdata", about: "what llvm-profdata merge writes and clang -fprofile-use reads (domains llvm-ir, llvm-frontend)", write: writeProfdata, binary: true},
	{name: "iprof", about: "what native-image --pgo reads (domain graal)", write: writeIprof},
	{name: "proftext", about: "what llvm-profdata merge --text writes (domains llvm-ir, llvm-frontend)", write: writeProftext},
	{name: "jamaica", about: "the profile text of a JamaicaVM (domain jamaica)", write: writeJamaica},
	{name: "folded", about: "sampled stacks for flame graphs, a line each, root first (domain graal)", write: writeFolded},
	{name: "pprof", about: "sampled stacks, and counters of methods, for go tool pprof", write: writePprof, binary: true},
	{name: "lcov", about: "call counts by class and method, for genhtml and lcov", write: writeLcov},
}

func ExportCommand(a *app.App) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export -t FORMAT ARCHIVE",
		Short: "Write an archive's profiles in another format",
		Long: `Export writes the profiles of an archive in the format of another tool, to the standard
output or, in one step, to a file. What the format cannot say is counted and reported. On a
terminal, characters that it would obey are escaped; files and pipes get the format's own bytes.

The formats:

` + exportFormatsText(),
		Example: `  profarc export -t methoddata app.parc -o app.txt
  profarc export -t json app.parc | jq '.methods | length'
  profarc export -t replay app.parc -o hot.log --method 'Main::hot(I)I' --class-path classes --class-path "$JAVA_HOME"
  profarc export -t profdata server.parc -o server.profdata && clang -fprofile-use=server.profdata -O2 -c server.c
  profarc export -t pprof app.parc -o app.pb.gz && go tool pprof -top app.pb.gz
  profarc export -t lcov --function-lines app.parc -o app.info && genhtml --ignore-errors source -o html app.info`,
		Args:              app.Args(1, 1, "one archive"),
		ValidArgsFunction: app.CompleteArchives(1),
	}
	cmd.RunE = a.Run(func(ctx context.Context, args []string) error {
		o.given = givenFormatFlags(cmd.Flags(), ExportNames())
		return runExport(ctx, a, args[0], o)
	})
	f := cmd.Flags()
	f.StringVarP(&o.format, "type", "t", "", "format to write: "+strings.Join(ExportNames(), ", "))
	f.StringVarP(&o.out, "output", "o", "-", "file to write, - for the standard output")
	f.BoolVar(&o.json, "json", false, "report in JSON; needs -o FILE")
	f.StringVar(&o.method, "method", "", "replay: method to be compiled, as lookup takes it")
	f.StringVar(&o.loader, "loader", "", "replay: class loader of the method")
	f.StringArrayVar(&o.classPath, "class-path", nil, "replay: folder, jar or JDK that holds class files; may be given more than once")
	o.most.AddTo(f)
	o.llvm.addTo(f)
	o.iprof.addTo(f)
	o.lcov.addTo(f)
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(ExportNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func ExportNames() (names []string) {
	for _, f := range exportFormats {
		names = append(names, f.name)
	}
	return names
}

func exportFormatsText() string {
	var lines []string
	for _, f := range exportFormats {
		lines = append(lines, fmt.Sprintf("  %-12s%s", f.name, f.about))
	}
	return strings.Join(lines, "\n")
}

func findExportFormat(name string) (*exportFormat, error) {
	for i := range exportFormats {
		if exportFormats[i].name == name {
			return &exportFormats[i], nil
		}
	}
	if name == "" {
		return nil, app.Usagef("name a format: -t with one of %s", strings.Join(ExportNames(), ", "))
	}
	return nil, app.Usagef("-t %s: there is no such format: use one of %s", name, strings.Join(ExportNames(), ", "))
}

// An exportReport says what was written and what was lost.
type exportReport struct {
	Archive string     `json:"archive"`
	Format  string     `json:"format"`
	Output  string     `json:"output"`
	Bytes   int64      `json:"bytes"`
	Lost    []app.Loss `json:"lost"`
	NS      int64      `json:"ns"`
}

func runExport(ctx context.Context, a *app.App, path string, o exportOptions) error {
	format, err := findExportFormat(o.format)
	if err != nil {
		return err
	}
	if err := refuseFlags(o.given, "-t is", format.name); err != nil {
		return err
	}
	if a.Streams.IsOutput(o.out) {
		o.out = "-"
	}
	if o.json && o.out == "-" {
		return app.Usagef("--json reports on a file: name it with -o")
	}
	if err := app.CheckOutput(o.out, path); err != nil {
		return err
	}
	r := exportReport{Archive: path, Format: format.name, Output: o.out}
	begin := time.Now()
	err = a.WithStore(ctx, path, func(s *reader.Store) error { return export(ctx, a, s, format, o, &r) })
	r.NS = time.Since(begin).Nanoseconds()
	switch {
	case err != nil:
		return err
	case o.json:
		return a.PrintJSON(r)
	case o.out == "-":
		app.PrintLosses(a.ErrOut, r.Lost)
	default:
		fmt.Fprintf(a.Out, "wrote  %s (%s): %s, %s\n", escape.Printable(r.Output), r.Format, app.FormatSize(r.Bytes), app.FormatDuration(time.Duration(r.NS)))
		app.PrintLosses(a.Out, r.Lost)
	}
	return nil
}

// export writes the archive to where the report says, and fills the rest of it.
func export(ctx context.Context, a *app.App, s *reader.Store, format *exportFormat, o exportOptions, r *exportReport) error {
	write := func(w io.Writer) (err error) {
		size := &sized{w: o.most.Writer(app.ContextWriter(ctx, w), s)}
		r.Lost, err = format.write(size, s, o)
		r.Bytes = size.n
		return err
	}
	if r.Output == "-" {
		return writeStdout(a, format, write)
	}
	return app.Publish(ctx, r.Output, write)
}

// writeStdout writes an export to the standard output: byte for byte to a file
// or a pipe, but to a terminal without what that would obey.
func writeStdout(a *app.App, format *exportFormat, write func(w io.Writer) error) error {
	if !a.Streams.OutTerminal {
		w := bufio.NewWriter(a.Streams.RawOut)
		return cmp.Or(write(w), w.Flush())
	}
	if format.binary {
		return app.Usagef("-t %s is no text for a terminal: name a file with -o, or pipe it", format.name)
	}
	return write(a.Out)
}

// sized counts what is written.
type sized struct {
	w io.Writer
	n int64
}

func (s *sized) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.n += int64(n)
	return n, err
}

func writeMethodData(w io.Writer, s *reader.Store, _ exportOptions) ([]app.Loss, error) {
	r, err := hotspot.WriteText(w, s)
	if err != nil {
		return nil, err
	}
	return app.LossesOf(r.Lost), nil
}

func writeDump(w io.Writer, s *reader.Store, _ exportOptions) ([]app.Loss, error) {
	return []app.Loss{}, dump.JSON(w, s)
}
