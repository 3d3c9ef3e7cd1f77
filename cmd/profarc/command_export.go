package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/formats/hotspot"
	"github.com/profarc/profarc/internal/dump"
	"github.com/profarc/profarc/reader"
)

type exportOptions struct {
	most      outputLimit
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
	write func(w io.Writer, s *reader.Store, o exportOptions) ([]loss, error)
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

func newExportCommand(a *app) *cobra.Command {
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
		Args:              argsBetween(1, 1, "one archive"),
		ValidArgsFunction: completeArchives(1),
	}
	cmd.RunE = a.run(func(ctx context.Context, args []string) error {
		o.given = givenFormatFlags(cmd.Flags(), exportNames())
		return a.runExport(ctx, args[0], o)
	})
	f := cmd.Flags()
	f.StringVarP(&o.format, "type", "t", "", "format to write: "+strings.Join(exportNames(), ", "))
	f.StringVarP(&o.out, "output", "o", "-", "file to write, - for the standard output")
	f.BoolVar(&o.json, "json", false, "report in JSON; needs -o FILE")
	f.StringVar(&o.method, "method", "", "replay: method to be compiled, as lookup takes it")
	f.StringVar(&o.loader, "loader", "", "replay: class loader of the method")
	f.StringArrayVar(&o.classPath, "class-path", nil, "replay: folder, jar or JDK that holds class files; may be given more than once")
	o.most.addTo(f)
	o.llvm.addTo(f)
	o.iprof.addTo(f)
	o.lcov.addTo(f)
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(exportNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func exportNames() (names []string) {
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
		return nil, usagef("name a format: -t with one of %s", strings.Join(exportNames(), ", "))
	}
	return nil, usagef("-t %s: there is no such format: use one of %s", name, strings.Join(exportNames(), ", "))
}

// An exportReport says what was written and what was lost.
type exportReport struct {
	Archive string `json:"archive"`
	Format  string `json:"format"`
	Output  string `json:"output"`
	Bytes   int64  `json:"bytes"`
	Lost    []loss `json:"lost"`
	NS      int64  `json:"ns"`
}

func (a *app) runExport(ctx context.Context, path string, o exportOptions) error {
	format, err := findExportFormat(o.format)
	if err != nil {
		return err
	}
	if err := refuseFlags(o.given, "-t is", format.name); err != nil {
		return err
	}
	if a.streams.isOutput(o.out) {
		o.out = "-"
	}
	if o.json && o.out == "-" {
		return usagef("--json reports on a file: name it with -o")
	}
	if err := checkOutput(o.out, path); err != nil {
		return err
	}
	r := exportReport{Archive: path, Format: format.name, Output: o.out}
	begin := time.Now()
	err = withStore(ctx, path, func(s *reader.Store) error { return a.export(ctx, s, format, o, &r) })
	r.NS = time.Since(begin).Nanoseconds()
	switch {
	case err != nil:
		return err
	case o.json:
		return a.printJSON(r)
	case o.out == "-":
		printLosses(a.errOut, r.Lost)
	default:
		fmt.Fprintf(a.out, "wrote  %s (%s): %s, %s\n", printable(r.Output), r.Format, sizeText(r.Bytes), timeText(time.Duration(r.NS)))
		printLosses(a.out, r.Lost)
	}
	return nil
}

// export writes the archive to where the report says, and fills the rest of it.
func (a *app) export(ctx context.Context, s *reader.Store, format *exportFormat, o exportOptions, r *exportReport) error {
	write := func(w io.Writer) (err error) {
		size := &sized{w: o.most.writer(interruptible{ctx, w}, s)}
		r.Lost, err = format.write(size, s, o)
		r.Bytes = size.n
		return err
	}
	if r.Output == "-" {
		return a.writeStdout(format, write)
	}
	return publish(ctx, r.Output, write)
}

// writeStdout writes an export to the standard output: byte for byte to a file
// or a pipe, but to a terminal without what that would obey.
func (a *app) writeStdout(format *exportFormat, write func(w io.Writer) error) error {
	if !a.streams.outTerminal {
		w := bufio.NewWriter(a.streams.rawOut)
		return cmp.Or(write(w), w.Flush())
	}
	if format.binary {
		return usagef("-t %s is no text for a terminal: name a file with -o, or pipe it", format.name)
	}
	return write(a.out)
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

func writeMethodData(w io.Writer, s *reader.Store, _ exportOptions) ([]loss, error) {
	r, err := hotspot.WriteText(w, s)
	if err != nil {
		return nil, err
	}
	return losses(r.Lost), nil
}

func writeDump(w io.Writer, s *reader.Store, _ exportOptions) ([]loss, error) {
	return []loss{}, dump.JSON(w, s)
}
