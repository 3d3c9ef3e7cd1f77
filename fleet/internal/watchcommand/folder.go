package watchcommand

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/profarc/profarc/fleet/internal/folderwatch"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/cli/formatadvice"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/merge"
)

// A folderRunner reports what the watch of a folder does.
type folderRunner struct {
	*reporter
	expected ledger.Expectation
	begin    time.Time // start of the batch
	did      bool
	inUse    int // number of files in use in the last batch
	sound    int // number of files that are in the archive
	aside    int
}

func watchFolder(ctx context.Context, a *cli.App, args []string, o *options) error {
	if err := o.checkFolder(args); err != nil {
		return err
	}
	expected, err := o.expectFiles(a, args[0])
	if err != nil {
		return err
	}
	o.folder.Missing = expected.MissingInputs()
	out, err := o.openReporter(a, "file")
	if err != nil {
		return err
	}
	defer out.target.Close()
	w, err := folderwatch.Open(args[0], o.out, o.folder)
	if err != nil {
		return err
	}
	defer w.Close()
	r := &folderRunner{reporter: out, expected: expected, begin: time.Now()}
	run := w.Run
	if o.once {
		run = w.RunOnce
	} else {
		r.logAddress()
	}
	err = run(ctx, func(b *folderwatch.Batch) error { return r.reportBatch(ctx, b) })
	if err != nil {
		_ = r.setMetrics(context.WithoutCancel(ctx), &look{}, err) // the error of the watch is reported
		return err
	}
	if !o.once {
		return nil
	}
	r.printEnd()
	return r.refuseBad(r.sound, r.aside, r.aside+r.sound, r.expected.Refused())
}

// checkFolder completes the options of the watch of a folder.
func (o *options) checkFolder(args []string) (err error) {
	if len(args) > 1 {
		return cli.Usagef("watch: %d arguments, want the folder to watch; name several by URLs, as file:///srv/runs/", len(args))
	}
	if err := o.refuseFlags(storeFlags,
		"stores: name the folder and the archive by URLs, as file:///srv/runs/"); err != nil {
		return err
	}
	if err := cli.CheckArchiveName(o.out, args[0]); err != nil {
		return err
	}
	if o.folder.Remove && o.keep {
		return cli.Usagef("--remove and --keep: choose one")
	}
	if o.failure.ExpectsFiles() && !o.once {
		return cli.Usagef("--expect is for --once: a watch of a folder that goes on cannot tell when all files are there")
	}
	if o.delay < 0 {
		return cli.Usagef("--delay %v: it must not be negative", o.delay)
	}
	o.folder.Delay = o.delay
	if !o.changed("delay") {
		o.folder.Delay = time.Second
	}
	o.folder.MaxInput, err = cli.ParseSizeFlag("--max-file", o.maxFile)
	return err
}

func (o *options) expectFiles(a *cli.App, folder string) (e ledger.Expectation, err error) {
	names, err := o.failure.ReadNames(a)
	if err != nil {
		return e, err
	}
	files, _ := os.ReadDir(folder) // the watcher reports the error
	var given []string
	for _, f := range files {
		if f.Type().IsRegular() && f.Name() != filepath.Base(o.out) && !strings.HasPrefix(f.Name(), ".") {
			given = append(given, f.Name())
		}
	}
	return ledger.Expect(given, o.failure.Expect, names), nil
}

// reportBatch prints what a batch did, and sets the metrics. A watch that goes on tries them again.
func (r *folderRunner) reportBatch(ctx context.Context, b *folderwatch.Batch) error {
	took := time.Since(r.begin)
	r.begin = time.Now()
	r.inUse = b.InUse
	r.sound += b.Merged + b.Known
	r.aside += len(b.Aside)
	err := r.setMetrics(context.WithoutCancel(ctx), r.lookOf(b), nil)
	if err != nil && !r.o.once {
		r.log("%s: it is tried again in %s", cli.OneLine(err.Error()), cli.FormatDuration(r.o.folder.Delay))
		err = nil
	}
	if !b.DidAnything() {
		return err
	}
	r.did = true
	return cmp.Or(r.printBatch(b, took), err)
}

// lookOf returns the numbers of a batch.
func (r *folderRunner) lookOf(b *folderwatch.Batch) *look {
	l := &look{merged: b.Merged, known: b.Known, bytes: b.Bytes, size: b.State.Size, dumps: b.State.Dumps,
		published: min(b.Merged, 1), arrived: b.State.Files, expected: int(r.expected.Expected), inUse: b.InUse}
	for _, in := range r.expected.MissingInputs() {
		l.missing += int(in.Times)
	}
	for _, why := range b.State.Aside {
		switch {
		case errors.Is(why, folderwatch.ErrLarge):
			l.overLimit++
		case errors.Is(why, merge.ErrCounted), errors.Is(why, merge.ErrSameProcess):
			l.skipped++
		default:
			l.damaged++
		}
	}
	return l
}

func (r *folderRunner) printBatch(b *folderwatch.Batch, took time.Duration) error {
	for _, s := range b.Aside {
		r.log("set aside: %s", asideText(s))
	}
	if r.a.JSON {
		if err := r.printJSON(reportOf(b, took)); err != nil {
			return err
		}
	} else if b.Merged+b.Known+b.Removed > 0 {
		fmt.Fprintf(r.a.Out, "%s\n", r.batchText(b, took))
		formatadvice.PrintLosses(r.a.Out, b.Lost)
	}
	return r.a.Out.Flush()
}

func (r *folderRunner) batchText(b *folderwatch.Batch, took time.Duration) string {
	var parts []string
	if b.Merged > 0 {
		parts = append(parts, r.mergedText(r.lookOf(b), r.o.out, took))
	}
	if b.Known > 0 {
		parts = append(parts, r.knownText(b.Known))
	}
	if b.Removed > 0 {
		parts = append(parts, "removed "+cli.Amount(b.Removed, r.noun))
	}
	return strings.Join(parts, "; ")
}

// advice lists remedies for files that are set aside.
var advice = append(cli.Advice{
	{Sentinel: folderwatch.ErrChanged, Text: "LLVM_PROFILE_FILE=NAME-%p.profraw names a file for each run; --remove lets " +
		"watch take files away once they are merged"},
	{Sentinel: folderwatch.ErrLarge, Text: "raise it with --max-file"},
}, formatadvice.Errors...)

func asideText(s folderwatch.Aside) string {
	text := cli.Message(s.Reason, advice.For)
	if strings.HasPrefix(text, s.Path) {
		return text
	}
	return s.Path + ": " + text
}

type batchReport struct {
	*folderwatch.Batch
	Aside []asideReport `json:"aside"`
	NS    int64         `json:"ns"`
}

type asideReport struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

func reportOf(b *folderwatch.Batch, took time.Duration) batchReport {
	r := batchReport{b, []asideReport{}, took.Nanoseconds()}
	for _, s := range b.Aside {
		r.Aside = append(r.Aside, asideReport{s.Path, asideText(s)})
	}
	return r
}

func (r *folderRunner) printEnd() {
	if r.a.JSON {
		return
	}
	if !r.did {
		fmt.Fprintln(r.a.Out, "nothing new to merge")
	}
	if r.inUse > 0 {
		fmt.Fprintf(r.a.Out, "left %s alone that a process still writes to\n", cli.Amount(r.inUse, r.noun))
	}
}
