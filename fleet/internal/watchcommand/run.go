package watchcommand

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/profarc/profarc/fleet/internal/metrics"
	"github.com/profarc/profarc/fleet/internal/storewatch"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
)

// A runner looks at the store and reports.
type runner struct {
	a      *cli.App
	o      *options
	w      *storewatch.Watcher
	target *metrics.Target
	named  map[string]bool // messages about the objects that the last look set aside
	total  totals
}

// runOnce looks once. The error says that the store failed, or that objects are damaged or missing.
func (r *runner) runOnce(ctx context.Context) error {
	found, err := r.look(ctx)
	if err != nil {
		return err
	}
	if r.o.failure.SkipsBad() && (found.Merged+found.Known > 0 || found.Bad() == 0) {
		return nil
	}
	if err := found.Refused(); err != nil || found.Bad() == 0 {
		return err
	}
	return fmt.Errorf("%d of %s set aside: --failure-mode %s accepts it", found.Bad(),
		cli.Amount(found.Arrived, "object"), cli.FailAll)
}

// runAlways looks until ctx ends, also after errors of the store.
func (r *runner) runAlways(ctx context.Context) error {
	if address := r.target.Address(); address != "" {
		r.log("metrics are on http://%s/metrics", address)
	}
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
func (r *runner) look(ctx context.Context) (*storewatch.Report, error) {
	found, err := r.w.Look(ctx)
	r.total.addLook(found, err, time.Now())
	failed := r.target.Set(ctx, r.total.metrics(found))
	if err == nil {
		err = r.printReport(found)
	}
	return found, cmp.Or(err, failed)
}

func (r *runner) printReport(found *storewatch.Report) error {
	named := map[string]bool{}
	for _, s := range found.Aside {
		text := fmt.Sprintf("%s: %s", s.Object, s.Reason)
		if !r.named[text] {
			r.log("set aside: %s", text)
		}
		named[text] = true
	}
	r.named = named
	if r.o.json {
		e := json.NewEncoder(r.a.Out)
		e.SetEscapeHTML(false)
		if err := e.Encode(found); err != nil {
			return err
		}
		return r.a.Out.Flush()
	}
	if text := reportText(found); text != "" && (r.o.once || found.Published > 0) {
		fmt.Fprintf(r.a.Out, "%s%s\n", r.stamp(r.a.Streams.OutTerminal), text)
	}
	printLosses(r.a.Out, found)
	return r.a.Out.Flush()
}

// reportText returns a line about a look.
func reportText(found *storewatch.Report) string {
	var parts []string
	if found.Merged > 0 {
		parts = append(parts, fmt.Sprintf("merged %s with %s into %s: %s, %s, %s", cli.Amount(found.Merged, "object"),
			cli.FormatSize(found.Bytes), escape.Printable(found.Archive), cli.FormatSize(found.Size),
			cli.Amount(found.Dumps, "dump"), cli.FormatDuration(time.Duration(found.NS))))
	} else {
		parts = append(parts, "nothing new to merge")
	}
	if found.Known > 0 {
		parts = append(parts, cli.Amount(found.Known, "object")+" had been merged before")
	}
	if n := len(found.Aside); n > 0 {
		parts = append(parts, fmt.Sprintf("%d set aside", n))
	}
	if found.Expected > 0 {
		parts = append(parts, fmt.Sprintf("%d expected, %d arrived", found.Expected, found.Arrived))
	}
	return strings.Join(parts, "; ")
}

func printLosses(w io.Writer, found *storewatch.Report) {
	for _, l := range found.Lost {
		fmt.Fprintf(w, "lost   %d %s\n", l.Count, escape.Printable(string(l.What)))
	}
}

// log prints a line to stderr.
func (r *runner) log(format string, args ...any) {
	fmt.Fprintf(r.a.ErrOut, "%s%s: %s\n", r.stamp(r.a.Streams.ErrTerminal), r.a.Name, fmt.Sprintf(format, args...))
}

// stamp returns the time for the beginning of a line if nobody else adds it. A terminal shows lines as they come, and
// systemd's journal has their time. A job that looks once ends soon.
func (r *runner) stamp(isTerminal bool) string {
	if r.o.once || isTerminal || os.Getenv("JOURNAL_STREAM") != "" {
		return ""
	}
	return time.Now().UTC().Format(time.RFC3339) + " "
}
