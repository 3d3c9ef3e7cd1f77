// Package watch implements the command watch, which merges the profiles that appear in a folder.
package watch

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/watch/watcher"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/escape"
)

type options struct {
	out          string
	remove, keep bool
	once         bool
	maxFile      string
	delay        time.Duration
	failure      cli.FailureMode
}

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "watch FOLDER -o ARCHIVE",
		Short: "Merge the profiles that appear in a folder, as they are written",
		Args:  cli.Args(1, 1, "the folder to watch"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: a.Run(func(ctx context.Context, args []string) error { return runCommand(ctx, a, args[0], o) }),
	}
	cli.SetHelp(cmd, helpText)
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "archive to write and add to; its name ends in "+cli.ArchiveExtension)
	f.BoolVar(&o.remove, "remove", false, "remove files once they are merged")
	f.BoolVar(&o.keep, "keep", false, "keep them; the default")
	f.BoolVar(&o.once, "once", false, "merge what is there, and end")
	f.StringVar(&o.maxFile, "max-file", "1GB", "set larger files aside: reading one takes memory in proportion to it")
	f.DurationVar(&o.delay, "delay", time.Second,
		"time between two looks at the folder; files that come meanwhile are merged together")
	a.AddJSONFlag(cmd)
	o.failure.AddFlags(cmd)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if strings.Contains(err.Error(), "unknown flag: --metrics") {
			return cli.Usagef("--metrics is for stores: name the folder and the archive by URLs, as file:///srv/runs/")
		}
		return cmd.Parent().FlagErrorFunc()(cmd, err)
	})
	return cmd
}

func (o *options) checkFlags(folder string) (watcher.Options, error) {
	w := watcher.Options{Remove: o.remove, Delay: o.delay}
	if err := cli.CheckArchiveName(o.out, folder); err != nil {
		return w, err
	}
	if o.remove && o.keep {
		return w, cli.Usagef("--remove and --keep: choose one")
	}
	if o.failure.ExpectsFiles() && !o.once {
		return w, cli.Usagef("--expect is for --once: a watch that goes on cannot tell when all files are there")
	}
	if o.delay < 0 {
		return w, cli.Usagef("--delay %v: it must not be negative", o.delay)
	}
	var err error
	w.MaxInput, err = app.ParseSize(o.maxFile)
	if err != nil {
		return w, cli.Usagef("--max-file %s: %w", o.maxFile, err)
	}
	return w, nil
}

func runCommand(ctx context.Context, a *cli.App, folder string, o options) error {
	options, err := o.checkFlags(folder)
	if err != nil {
		return err
	}
	expected, err := o.expectFiles(a, folder)
	if err != nil {
		return err
	}
	options.Missing = expected.MissingInputs()
	w, err := watcher.Open(folder, o.out, options)
	if err != nil {
		return err
	}
	defer w.Close()
	p := &printer{a: a, o: &o, begin: time.Now()}
	if !o.once {
		return w.Run(ctx, p.printBatch)
	}
	if err := w.RunOnce(ctx, p.printBatch); err != nil {
		return err
	}
	p.printEnd()
	return p.refuseBad(&expected)
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

func (p *printer) refuseBad(expected *ledger.Expectation) error {
	if p.o.failure.SkipsBad() && (p.sound > 0 || p.aside == 0) {
		return nil
	}
	if err := expected.Refused(); err != nil || p.aside == 0 {
		return err
	}
	return fmt.Errorf("%d of %s set aside: --failure-mode %s accepts it", p.aside,
		cli.Amount(p.aside+p.sound, "file"), cli.FailAll)
}

type printer struct {
	a     *cli.App
	o     *options
	begin time.Time // start of the batch
	did   bool
	inUse int // number of files in use in the last batch
	sound int // number of files that are in the archive
	aside int
}

func (p *printer) printBatch(b *watcher.Batch) error {
	took := time.Since(p.begin)
	p.begin = time.Now()
	p.inUse = b.InUse
	p.sound += b.Merged + b.Known
	p.aside += len(b.Aside)
	if !b.DidAnything() {
		return nil
	}
	p.did = true
	for _, s := range b.Aside {
		fmt.Fprintf(p.a.ErrOut, "profarc: set aside: %s\n", asideText(s))
	}
	if p.a.JSON {
		if err := p.printJSON(b, took); err != nil {
			return err
		}
	} else if b.Merged+b.Known+b.Removed > 0 {
		fmt.Fprintf(p.a.Out, "%s\n", p.batchText(b, took))
		app.PrintLosses(p.a.Out, b.Lost)
	}
	return p.a.Out.Flush()
}

func (p *printer) batchText(b *watcher.Batch, took time.Duration) string {
	var parts []string
	if b.Merged > 0 {
		parts = append(parts, fmt.Sprintf("merged %s with %s into %s: %s, %s, %s", cli.Amount(b.Merged, "file"),
			cli.FormatSize(b.Bytes),
			escape.Printable(p.o.out), cli.FormatSize(b.Archive), cli.Amount(b.Dumps, "dump"), cli.FormatDuration(took)))
	}
	if b.Known > 0 {
		parts = append(parts, cli.Amount(b.Known, "file")+" had been merged before")
	}
	if b.Removed > 0 {
		parts = append(parts, "removed "+cli.Amount(b.Removed, "file"))
	}
	return strings.Join(parts, "; ")
}

func asideText(s watcher.Aside) string {
	text := app.Message(s.Reason)
	if strings.HasPrefix(text, s.Path) {
		return text
	}
	return s.Path + ": " + text
}

type batchReport struct {
	*watcher.Batch
	Aside []asideReport `json:"aside"`
	NS    int64         `json:"ns"`
}

type asideReport struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

func (p *printer) printJSON(b *watcher.Batch, took time.Duration) error {
	r := batchReport{b, []asideReport{}, took.Nanoseconds()}
	for _, s := range b.Aside {
		r.Aside = append(r.Aside, asideReport{s.Path, asideText(s)})
	}
	e := json.NewEncoder(p.a.Out)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

func (p *printer) printEnd() {
	if p.a.JSON {
		return
	}
	if !p.did {
		fmt.Fprintln(p.a.Out, "nothing new to merge")
	}
	if p.inUse > 0 {
		fmt.Fprintf(p.a.Out, "left %s alone that a process still writes to\n", cli.Amount(p.inUse, "file"))
	}
}
