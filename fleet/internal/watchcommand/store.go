package watchcommand

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/storewatch"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/cli/formatadvice"
	account "github.com/profarc/profarc/internal/ledger"
)

// A storeRunner looks at the store and reports.
type storeRunner struct {
	*reporter
	w     *storewatch.Watcher
	named map[string]bool // messages about the objects that the last look set aside
}

func watchStore(ctx context.Context, a *cli.App, args []string, o *options) (err error) {
	if err := o.checkStore(args); err != nil {
		return err
	}
	o.store.Expected, err = o.failure.ReadNames(a)
	if err != nil {
		return err
	}
	o.store.Expect = o.failure.Expect
	out, err := o.openReporter(a, "object")
	if err != nil {
		return err
	}
	defer out.target.Close()
	out.stamps = true
	stores := &blobs.Stores{Patience: o.patience}
	defer stores.Close()
	r := &storeRunner{reporter: out, w: storewatch.New(stores, o.store)}
	if o.once {
		return r.runOnce(ctx)
	}
	return r.runAlways(ctx)
}

// runOnce looks once. The error says that the store failed, or that objects are damaged or missing.
func (r *storeRunner) runOnce(ctx context.Context) error {
	found, err := r.look(ctx)
	if err != nil {
		return err
	}
	return r.refuseBad(found.Merged+found.Known, found.Bad(), found.Arrived, found.Refused())
}

// runAlways looks until ctx ends, also after errors of the store.
func (r *storeRunner) runAlways(ctx context.Context) error {
	r.logAddress()
	for {
		if _, err := r.look(ctx); err != nil && ctx.Err() == nil {
			r.log("%s: it is tried again in %s", cli.OneLine(err.Error()), cli.FormatDuration(r.o.delay))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(r.o.delay):
		}
	}
}

// look looks once, prints what it found, and sets the metrics.
func (r *storeRunner) look(ctx context.Context) (*storewatch.Report, error) {
	found, err := r.w.Look(ctx)
	failed := r.setMetrics(ctx, lookOf(found), err)
	if err == nil {
		err = r.printReport(found)
	}
	return found, cmp.Or(err, failed)
}

// lookOf returns the numbers of a report.
func lookOf(found *storewatch.Report) *look {
	l := &look{merged: found.Merged, known: found.Known, bytes: found.Bytes, size: found.Size, dumps: found.Dumps,
		published: found.Published, conflicts: found.Conflicts, arrived: found.Arrived, expected: found.Expected,
		missing: int(found.MissingCount())}
	for _, a := range found.Aside {
		switch {
		case a.Chosen:
			l.overLimit++
		case a.State == account.Skipped:
			l.skipped++
		default:
			l.damaged++
		}
	}
	return l
}

func (r *storeRunner) printReport(found *storewatch.Report) error {
	named := map[string]bool{}
	for _, s := range found.Aside {
		text := fmt.Sprintf("%s: %s", s.Object, s.Reason)
		if !r.named[text] {
			r.log("set aside: %s", text)
		}
		named[text] = true
	}
	r.named = named
	if r.a.JSON {
		if err := r.printJSON(found); err != nil {
			return err
		}
		return r.a.Out.Flush()
	}
	if r.o.once || found.Published > 0 {
		fmt.Fprintf(r.a.Out, "%s%s\n", r.stamp(r.a.Streams.OutTerminal), r.reportText(found))
	}
	formatadvice.PrintLosses(r.a.Out, found.Lost)
	return r.a.Out.Flush()
}

// reportText returns a line about a look.
func (r *storeRunner) reportText(found *storewatch.Report) string {
	parts := []string{"nothing new to merge"}
	if found.Merged > 0 {
		parts[0] = r.mergedText(lookOf(found), found.Archive, time.Duration(found.NS))
	}
	if found.Known > 0 {
		parts = append(parts, r.knownText(found.Known))
	}
	if n := len(found.Aside); n > 0 {
		parts = append(parts, fmt.Sprintf("%d set aside", n))
	}
	if found.Expected > 0 {
		parts = append(parts, fmt.Sprintf("%d expected, %d arrived", found.Expected, found.Arrived))
	}
	return strings.Join(parts, "; ")
}
