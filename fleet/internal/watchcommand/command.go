// Package watchcommand implements the command watch for object stores, which merges the profiles that arrive there.
package watchcommand

import (
	"context"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/durations"
	"github.com/profarc/profarc/fleet/internal/metrics"
	"github.com/profarc/profarc/fleet/internal/storewatch"
	"github.com/profarc/profarc/internal/cli"
)

const commandHelp = `Watch merges the profiles that arrive in an object store into one archive there, each once:
archives, and whatever import reads, such as .profraw and .pprof files, also compressed. A URL is a prefix in a
store, s3://, gs:// or azblob://, with options of the store behind a question mark, as
s3://bucket/runs/?region=eu-central-1, or file:// with a folder that machines share. The store's own tools have
the credentials. Names that begin with a dot are left alone. "profarc watch FOLDER" watches a folder of one
machine, in which it sees which files are still written to, and can remove merged ones.

It may be killed at any time, and several may run at once: no count is lost, and none counts twice. The archive
is replaced in one step, on the condition that no other job has replaced it since it was read; else the
job begins again with the new archive. What was merged is in the archive's own table of dumps. Objects stay;
let a lifecycle rule of the store remove old ones. An object counts once under its name. If its content changes
afterwards, it is set aside. So let each process write an object of its own. Of several dumps of one process
the last one that was there counts; a later one cannot take the place of one that was merged.

Limits leave objects out, the oldest first: --max-file for the size of an object,
--max-age for the age of a dump, --max-recorders for the number of dumps in the archive, and --max-size for
the size of the archive. What an archive has stays in it: to begin anew, write to another name. The account has
the limit, and a later job does not fetch such an object again, unless the object or the limit changes.

Objects over a limit, damaged and foreign ones, and archives that do not go together with the others are
named and set aside. They are in the account of the archive (profarc info --losses, profarc gate), and so are
objects that --expect and --expect-list name and that have not arrived yet. An object that may not be read is
set aside as well, and is tried again after ten minutes.
The exit code is 1 if the archive or the store cannot be read or written. With --once and --failure-mode any
it is also 1 if an object is damaged or missing, after the others were merged.

--once merges what is there and ends, as in a CronJob. Without it, watch looks again after --delay, goes on after errors
of the store, and ends with exit code 0 on SIGTERM or an interrupt. --metrics gives its numbers to Prometheus: on
an address, or in a file for the node exporter. --json prints an object for each look: "archive", "expected",
"arrived", "missing" names, "merged", "bytes" of these objects, "known" (their counts were in the archive already),
"aside" with "file", "state", "reason" and "by_limit", "lost", "archive_bytes", "dumps", "published" and
"conflicts" (how often this and another job replaced the archive), "ns". These fields are stable.`

// group is the id of the command group.
const group = "merge"

type options struct {
	storewatch.Options
	out, maxFile, maxSize, maxAge, memory, metrics string
	once, json                                     bool
	delay, patience                                time.Duration
	failure                                        cli.FailureMode
}

// Command returns the command watch.
func Command(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "watch URL... -o URL",
		Short: "Merge the profiles that arrive in an object store",
		Long:  commandHelp,
		Example: `  profarc watch s3://ci/runs/ -o s3://ci/app.parc --once
  profarc watch gs://ci/runs/ -o gs://ci/app.parc --once --expect 8 --max-age 30d
  profarc watch file:///shared/runs/ -o file:///shared/app.parc --metrics :9300`,
		GroupID: group,
		Args:    cli.Args(1, -1, "where the profiles are"),
		RunE:    a.Run(func(ctx context.Context, args []string) error { return runCommand(ctx, a, args, &o) }),
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "`URL` of the archive to write and add to; it ends in "+cli.ArchiveExtension)
	f.BoolVar(&o.once, "once", false, "merge what is there, and end")
	durations.AddFlag(f, &o.delay, "delay", time.Minute, "`TIME` between two looks at the store")
	f.StringVar(&o.maxFile, "max-file", "1GB",
		"`SIZE` of the largest object; reading one takes memory in proportion to it")
	f.StringVar(&o.maxSize, "max-size", "", "`SIZE` of the largest archive, as 256MB; without it there is no limit")
	f.StringVar(&o.maxAge, "max-age", "",
		"`AGE` of the oldest dump that is added, as 30d or 12h; without it there is no limit")
	f.IntVar(&o.MaxRecorders, "max-recorders", 0, "largest `NUMBER` of dumps in the archive; without it there is no limit")
	f.StringVar(&o.metrics, "metrics", "",
		"`ADDRESS` to serve metrics for Prometheus on, as :9300, or a FILE.prom to write")
	f.StringVar(&o.Folder, "tmp", "", "`DIRECTORY` for temporary files; without it that of the system")
	f.StringVar(&o.memory, "memory", "192MB", "`SIZE` of profiles to keep in memory; more go to a temporary file")
	f.IntVarP(&o.Jobs, "jobs", "j", 8, "`NUMBER` of objects to fetch at once")
	durations.AddFlag(f, &o.patience, "patience", time.Minute,
		"`TIME` that a store may take for an answer, and for each MiB")
	f.BoolVar(&o.json, "json", false, "print JSON for each look")
	o.failure.AddFlags(cmd)
	return cmd
}

// checkFlags completes the options of the watcher.
func (o *options) checkFlags(args []string) (err error) {
	o.Out, err = blobs.Parse(o.out)
	if err != nil || path.Ext(o.Out.Key) != cli.ArchiveExtension {
		return cli.Usagef("-o %s: name an archive, which ends in %s", o.out, cli.ArchiveExtension)
	}
	for _, text := range args {
		from, err := blobs.Parse(text)
		if err != nil {
			return cli.Usagef("%v", err)
		}
		o.From = append(o.From, from.Prefix())
	}
	for _, size := range []struct {
		flag, text string
		to         *int64
	}{
		{"--max-file", o.maxFile, &o.MaxObject},
		{"--max-size", o.maxSize, &o.MaxArchive},
		{"--memory", o.memory, &o.Memory},
	} {
		*size.to, err = parseSize(size.flag, size.text)
		if err != nil {
			return err
		}
	}
	o.MaxAge, err = parseAge(o.maxAge)
	switch {
	case err != nil:
		return err
	case o.MaxRecorders < 0:
		return cli.Usagef("--max-recorders %d: it is a number of dumps", o.MaxRecorders)
	case o.Jobs < 1:
		return cli.Usagef("--jobs %d: it is at least 1", o.Jobs)
	case o.delay <= 0:
		return cli.Usagef("--delay %v: give a positive time", o.delay)
	}
	return nil
}

// units are the units of profarc, in which 256MB are 256,000,000 bytes, and of plan, in which 256MiB are more.
var units = []struct {
	name  string
	bytes int64
}{{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}

// parseSize parses a size. "" is 0.
func parseSize(flag, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	number, scale := text, int64(1)
	for _, unit := range units {
		if before, ok := strings.CutSuffix(text, unit.name); ok {
			number, scale = before, unit.bytes
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n < 1 || n > 1<<53/scale {
		return 0, cli.Usagef("%s %s: write it as 500MB or 4GiB", flag, text)
	}
	return n * scale, nil
}

// parseAge parses a duration, which can be in days. "" is 0.
func parseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n > 0 && n < 1e5 {
			return time.Duration(n * 24 * float64(time.Hour)), nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, cli.Usagef("--max-age %s: write it as 30d, 12h or 90m", text)
	}
	return d, nil
}

func runCommand(ctx context.Context, a *cli.App, args []string, o *options) (err error) {
	if err := o.checkFlags(args); err != nil {
		return err
	}
	o.Expected, err = o.failure.ReadNames(a)
	if err != nil {
		return err
	}
	o.Expect = o.failure.Expect
	target, err := metrics.Open(o.metrics)
	if err != nil {
		return err
	}
	defer target.Close()
	stores := &blobs.Stores{Patience: o.patience}
	defer stores.Close()
	r := &runner{a: a, o: o, w: storewatch.New(stores, o.Options), target: target}
	if o.once {
		return r.runOnce(ctx)
	}
	return r.runAlways(ctx)
}
