package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/builder"
)

type importOptions struct {
	out       string
	producer  string
	dumpTime  string
	unordered bool
	salvage   bool
	json      bool
}

func newImportCommand(a *app) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE -o ARCHIVE",
		Short: "Make an archive of what another tool wrote",
		Long: `Import reads profiles that another tool wrote and makes an archive of them. The format is
recognised by content, also behind gzip or zstd. FILE may be - for the standard input.

What the archive cannot keep is counted and reported. The formats:

` + formatsText(),
		Example: `  java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData -jar app.jar >app.txt
  profarc import app.txt -o app.parc
  zstdcat app.txt.zst | profarc import - -o app.parc --producer "OpenJDK 17.0.15+6"`,
		Args: argsBetween(1, 1, "one file: import takes one file"),
		RunE: a.run(func(ctx context.Context, args []string) error { return a.runImport(ctx, args[0], o) }),
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "archive to write; its name ends in "+archiveExtension)
	f.StringVar(&o.producer, "producer", "", "who made the profiles, as info shows it")
	f.StringVar(&o.dumpTime, "time", "", "when the profiles were dumped, as 2006-01-02T15:04:05Z")
	f.BoolVar(&o.unordered, "unordered", false, "forget the order of the methods in the file")
	f.BoolVar(&o.salvage, "salvage", false, "iprof: take what is whole of a file that is cut off or damaged")
	f.BoolVar(&o.json, "json", false, "report in JSON")
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
		return c, usagef("--time %s: write it as 2006-01-02T15:04:05Z", o.dumpTime)
	}
	c.DumpTime = t
	return c, nil
}

func (a *app) runImport(ctx context.Context, name string, o importOptions) error {
	if err := checkArchiveName(o.out, name); err != nil {
		return err
	}
	config, err := o.config()
	if err != nil {
		return err
	}
	writing := a.meter("writing " + o.out)
	defer writing.done()
	config.Progress = writing.report
	begin := time.Now()
	profiles, err := a.readProfiles(ctx, name, importConfig{config, o.unordered, o.salvage})
	if err != nil {
		return err
	}
	read := time.Since(begin)
	written, err := profiles.builder.Commit(ctx, o.out)
	if err != nil {
		return err
	}
	r := newImportReport(name, o.out, profiles, written)
	r.ReadNS, r.WriteNS = read.Nanoseconds(), (time.Since(begin) - read).Nanoseconds()
	if o.json {
		return a.printJSON(r)
	}
	r.print(a)
	return nil
}

// readProfiles reads a file, or the standard input for "-", into a builder.
func (a *app) readProfiles(ctx context.Context, name string, c importConfig) (*imported, error) {
	m := a.meter("reading " + name)
	defer m.done()
	in, err := a.openInput(ctx, name, m)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	format, err := in.format()
	if err != nil {
		return nil, err
	}
	p, err := format.read(in, in.name, c)
	if err != nil {
		return nil, err
	}
	p.format, p.codec = format.name, in.codec
	return p, nil
}

// An importReport says what was read, what was written, and what was lost.
type importReport struct {
	Input   string         `json:"input"`
	Format  string         `json:"format"`
	Codec   string         `json:"codec,omitempty"`
	Facts   map[string]any `json:"facts"`
	Methods int            `json:"methods"`
	Entries int            `json:"entries"`
	Lost    []loss         `json:"lost"`
	Archive string         `json:"archive"`
	Bytes   int64          `json:"bytes"`
	Base    string         `json:"base"`
	DumpID  string         `json:"dump_id"`
	Counts  namedCounts    `json:"counts"`
	ReadNS  int64          `json:"read_ns"`
	WriteNS int64          `json:"write_ns"`
}

func newImportReport(in, out string, p *imported, w builder.Report) *importReport {
	return &importReport{
		Input: in, Format: p.format, Codec: p.codec, Facts: p.facts, Methods: p.methods, Entries: p.entries, Lost: p.lost,
		Archive: out, Bytes: w.Bytes, Base: fmt.Sprintf("0x%x", w.Base), DumpID: fmt.Sprintf("%x", w.DumpID), Counts: countsOf(w.Counts),
	}
}

func (r *importReport) print(a *app) {
	compressed := ""
	if r.Codec != "" {
		compressed = ", " + r.Codec
	}
	fmt.Fprintf(a.out, "read   %s (%s%s): %d methods, %d entries, %s\n", r.Input, r.Format, compressed, r.Methods, r.Entries, timeText(time.Duration(r.ReadNS)))
	fmt.Fprintf(a.out, "wrote  %s: %s, %d profiles, %d types, base %s, %s\n",
		r.Archive, sizeText(r.Bytes), r.Counts.Profiles, r.Counts.Types, r.Base, timeText(time.Duration(r.WriteNS)))
	printLosses(a.out, r.Lost)
}
