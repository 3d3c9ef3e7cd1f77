package imports

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"text/template"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/layout"
)

//go:embed report.txt
var reportText string

type importReport struct {
	Input   string         `json:"input"`
	Format  string         `json:"format"`
	Codec   string         `json:"codec,omitempty"`
	Facts   map[string]any `json:"facts,omitempty"` // facts about a single file
	Methods int            `json:"methods"`
	Entries int            `json:"entries"`
	Lost    codec.Losses   `json:"lost"`
	// Unaccounted has the counts that were lost or added without a reason, a defect of the program.
	Unaccounted []ledger.Difference `json:"unaccounted,omitempty"`
	Archive     string              `json:"archive"`
	Bytes       int64               `json:"bytes"`
	Base        string              `json:"base"`
	DumpID      string              `json:"dump_id"`
	Counts      layout.Counts       `json:"counts"`
	ReadNS      int64               `json:"read_ns"`
	WriteNS     int64               `json:"write_ns"`

	Notes []string `json:"-"` // facts for the printed report

	Inputs  []importedFile `json:"inputs,omitempty"` // nil for a single file
	Read    int            `json:"inputs_read"`
	Skipped []skippedFile  `json:"inputs_skipped,omitempty"`
}

type importedFile struct {
	Input  string         `json:"input"`
	Codec  string         `json:"codec,omitempty"`
	Weight string         `json:"weight,omitempty"`
	Facts  map[string]any `json:"facts"`
}

type skippedFile struct {
	Input  string `json:"input"`
	Reason string `json:"reason"`
}

type importWriter struct {
	ctx     context.Context
	a       *cli.App
	o       *importOptions
	input   string // the first file
	in      *formats.Imported
	skipped []skippedFile
	read    time.Duration
}

func (w *importWriter) writeArchive() error {
	setRunName(w.in.Builder, w.o.run)
	if err := w.warnOfInputs(); err != nil {
		return err
	}
	r, err := w.commitArchive(w.in.Builder, w.o.out)
	if err != nil {
		return err
	}
	r.Skipped = w.skipped
	if r.FilesNamed() > 1 {
		r.Facts = nil
		for _, in := range w.in.Inputs {
			file := importedFile{Input: in.Name, Codec: in.Codec, Facts: in.Facts}
			if in.Weight != 0 {
				file.Weight = in.Weight.String()
			}
			r.Inputs = append(r.Inputs, file)
		}
	}
	err = w.a.Print(r, func() { r.printReport(w.a.Out, r) })
	return cmp.Or(err, app.RefuseUnaccounted(r.Unaccounted))
}

// warnOfInputs warns of a file of LLVM that is named twice, and of functions of one name with several hashes.
func (w *importWriter) warnOfInputs() error {
	if w.in.Format != "llvm" || len(w.in.Inputs) < 2 {
		return nil
	}
	named := map[string]bool{}
	for _, in := range w.in.Inputs {
		if named[in.Name] && in.Weight == 0 {
			fmt.Fprintf(w.a.ErrOut, "profarc: warning: %s is named twice, and counts twice\n", escape.Printable(in.Name))
		}
		named[in.Name] = in.Weight == 0
	}
	n, _, err := merging.KeepVersions(w.ctx, w.in.Builder.Internal(), merging.AllVersions)
	if n > 0 {
		fmt.Fprintf(w.a.ErrOut, "profarc: warning: the files are of several builds: %s with several hashes. Remove the files of "+
			"old builds and import again, or keep one build: profarc merge %s -o NAME%s --versions current --against PROGRAM\n",
			cli.Amount(n, "function"), cli.ShellWord(w.o.out), cli.ArchiveExtension)
	}
	return err
}

func (w *importWriter) writeRuns() error {
	runs := w.in.Runs
	if runs == nil {
		runs = []*builder.Builder{w.in.Builder}
	}
	var reports []*importReport
	for i, run := range runs {
		out := fmt.Sprintf("%s.%d%s", strings.TrimSuffix(w.o.out, cli.ArchiveExtension), i+1, cli.ArchiveExtension)
		if err := cli.CheckOutput(out, w.input); err != nil {
			return err
		}
		setRunName(run, strings.TrimPrefix(fmt.Sprintf("%s.%d", w.o.run, i+1), "."))
		r, err := w.commitArchive(run, out)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	return w.a.Print(reports, func() { reports[0].printReport(w.a.Out, reports...) })
}

func (w *importWriter) commitArchive(b *builder.Builder, out string) (*importReport, error) {
	begin := time.Now()
	written, err := b.Commit(w.ctx, out)
	if err != nil {
		return nil, err
	}
	r := newReport(w.input, w.in, written.Counts, w.read)
	r.Unaccounted = written.Unaccounted
	r.Archive, r.Bytes, r.Base = out, written.Bytes, fmt.Sprintf("0x%x", written.Base)
	r.DumpID = fmt.Sprintf("%x", written.DumpID)
	r.WriteNS = time.Since(begin).Nanoseconds()
	return r, nil
}

// newReport returns the report of an import that has not been written.
func newReport(input string, in *formats.Imported, counts layout.Counts, read time.Duration) *importReport {
	last := in.Inputs[len(in.Inputs)-1]
	return &importReport{Input: input, Format: in.Format, Codec: last.Codec, Facts: last.Facts, Methods: in.Methods,
		Entries: in.Entries, Lost: in.Lost, Notes: in.Notes, Counts: counts, ReadNS: read.Nanoseconds(),
		Read: len(in.Inputs)}
}

func (r *importReport) FilesNamed() int { return r.Read + len(r.Skipped) }

// printReport prints the input, the archives that were written, the counts that have another form, and the lost
// counts.
func (r *importReport) printReport(w io.Writer, written ...*importReport) {
	app.PrintReport(w, reportText, r, template.FuncMap{"written": func() []*importReport { return written }})
}

// DroppedText returns how many functions of LLVM were dropped, and why.
func (r *importReport) DroppedText() string {
	n := 0
	why := []string{}
	for _, l := range r.Lost {
		if reason, ok := strings.CutPrefix(string(l.What), llvm.Dropped); ok {
			n += l.Count
			why = append(why, reason)
		}
	}
	if n == 0 {
		return "0 dropped"
	}
	return fmt.Sprintf("%d dropped because %s", n, strings.Join(why, ", and because "))
}
