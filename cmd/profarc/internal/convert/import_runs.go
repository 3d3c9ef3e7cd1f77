package convert

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// runArchive is the name of the archive of a run, from 1 on.
func runArchive(out string, run int) string {
	return fmt.Sprintf("%s.%d%s", strings.TrimSuffix(out, app.ArchiveExtension), run, app.ArchiveExtension)
}

// nameRun notes which run profiles are of. It makes their dump another one than
// that of a run that counted just the same.
func nameRun(b *builder.Builder, name string) {
	if name != "" {
		b.Table(layout.TableProperties, 0, disk.TableColumns(layout.TableProperties)...).Row(uint64(b.Symbol(disk.PropertyRun)), uint64(b.Symbol(name)))
	}
}

// runName is the name of the run with a number, from 1 on, of a file.
func runName(name string, number int) string {
	return strings.TrimPrefix(fmt.Sprintf("%s.%d", name, number), ".")
}

// commitRuns writes an archive for each run of a file.
func commitRuns(ctx context.Context, a *app.App, name string, o importOptions, p *imported, read time.Duration) error {
	if p.runs == nil {
		return app.Usagef("--runs: a file of the format %s holds one run: import it without", p.format)
	}
	var reports []*importReport
	for i, run := range p.runs {
		out := runArchive(o.out, i+1)
		if err := app.CheckOutput(out, name); err != nil {
			return err
		}
		nameRun(run, runName(o.run, i+1))
		r, err := commitRun(ctx, name, out, p, run)
		if err != nil {
			return err
		}
		r.ReadNS = read.Nanoseconds()
		reports = append(reports, r)
	}
	if o.json {
		return a.PrintJSON(reports)
	}
	reports[0].printRead(a)
	for _, r := range reports {
		r.printWritten(a)
	}
	app.PrintLosses(a.Out, p.lost)
	return nil
}

func commitRun(ctx context.Context, name, out string, p *imported, run *builder.Builder) (*importReport, error) {
	begin := time.Now()
	written, err := run.Commit(ctx, out)
	if err != nil {
		return nil, err
	}
	r := newImportReport(name, out, p, written)
	r.WriteNS = time.Since(begin).Nanoseconds()
	return r, nil
}
