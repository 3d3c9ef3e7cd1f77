package watchcommand

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/profarc/profarc/fleet/internal/metrics"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
)

// A look is what one look at a folder or a store found and did.
type look struct {
	merged, known int
	bytes         int64 // of the merged files or objects
	size          int64 // of the archive; 0 without one
	dumps         int   // number of dumps in the archive
	published     int   // number of times that the archive was replaced
	conflicts     int   // number of times that another job replaced it meanwhile
	arrived       int   // number of files or objects that are there
	expected      int   // 0 if it is not known
	missing       int
	// Files or objects that are set aside, because they are damaged, because a limit leaves them out, and for other
	// reasons, and files that a process still writes to.
	damaged, overLimit, skipped, inUse int
}

// A reporter prints what a watch does, and gives its numbers to Prometheus.
type reporter struct {
	a      *cli.App
	o      *options
	noun   string // "file" or "object"
	target *metrics.Target
	total  totals
	stamps bool // lines begin with the time if nobody else adds it
}

// setMetrics adds a look, which ended with err.
func (r *reporter) setMetrics(ctx context.Context, found *look, err error) error {
	r.total.addLook(found, err, time.Now())
	return r.target.Set(ctx, r.total.metrics(found))
}

// logAddress names the address of the metrics.
func (r *reporter) logAddress() {
	if address := r.target.Address(); address != "" {
		r.log("metrics are on http://%s/metrics", address)
	}
}

// printJSON prints a report as a line.
func (r *reporter) printJSON(report any) error {
	e := json.NewEncoder(r.a.Out)
	e.SetEscapeHTML(false)
	return e.Encode(report)
}

// mergedText describes what a look merged into the archive out.
func (r *reporter) mergedText(found *look, out string, took time.Duration) string {
	return fmt.Sprintf("merged %s with %s into %s: %s, %s, %s", cli.Amount(found.merged, r.noun),
		cli.FormatSize(found.bytes), escape.Printable(out), cli.FormatSize(found.size), cli.Amount(found.dumps, "dump"),
		cli.FormatDuration(took))
}

func (r *reporter) knownText(n int) string { return cli.Amount(n, r.noun) + " had been merged before" }

// refuseBad returns the error of a watch that looked once, if --failure-mode does not accept that bad of all files were
// set aside, or refused, the error of missing ones. sound is the number of those that are in the archive.
func (r *reporter) refuseBad(sound, bad, all int, refused error) error {
	switch {
	case r.o.failure.SkipsBad() && (sound > 0 || bad == 0):
		return nil
	case refused != nil || bad == 0:
		return refused
	}
	return fmt.Errorf("%d of %s set aside: --failure-mode %s accepts it", bad, cli.Amount(all, r.noun), cli.FailAll)
}

// log prints a line to stderr.
func (r *reporter) log(format string, args ...any) {
	fmt.Fprintf(r.a.ErrOut, "%s%s: %s\n", r.stamp(r.a.Streams.ErrTerminal), r.a.Name, fmt.Sprintf(format, args...))
}

// stamp returns the time for the beginning of a line if nobody else adds it. A terminal shows lines as they come, and
// systemd's journal has their time. A job that looks once ends soon.
func (r *reporter) stamp(isTerminal bool) string {
	if !r.stamps || r.o.once || isTerminal || os.Getenv("JOURNAL_STREAM") != "" {
		return ""
	}
	return time.Now().UTC().Format(time.RFC3339) + " "
}
