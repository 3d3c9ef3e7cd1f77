package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/builder"
)

// runArchive is the name of the archive of a run, from 1 on.
func runArchive(out string, run int) string {
	return fmt.Sprintf("%s.%d%s", strings.TrimSuffix(out, archiveExtension), run, archiveExtension)
}

// commitRuns writes an archive for each run of a file.
func (a *app) commitRuns(ctx context.Context, name string, o importOptions, p *imported, read time.Duration) error {
	if p.runs == nil {
		return usagef("--runs: a file of the format %s holds one run: import it without", p.format)
	}
	var reports []*importReport
	for i, run := range p.runs {
		out := runArchive(o.out, i+1)
		if err := checkOutput(out, name); err != nil {
			return err
		}
		r, err := commitRun(ctx, name, out, p, run)
		if err != nil {
			return err
		}
		r.ReadNS = read.Nanoseconds()
		reports = append(reports, r)
	}
	if o.json {
		return a.printJSON(reports)
	}
	reports[0].printRead(a)
	for _, r := range reports {
		r.printWritten(a)
	}
	printLosses(a.out, p.lost)
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
