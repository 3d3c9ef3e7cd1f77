// Package dump implements the command dump, which archives the profiles of a live JVM, and shares parts of it with
// package train.
package dump

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/agentcmd"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/publish"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/layout"
)

type options struct {
	pid       int
	out       string
	filters   Filters
	adopted   bool
	running   bool
	stopLimit time.Duration
}

var (
	//go:embed help.txt
	helpText string
	//go:embed report.txt
	reportText string
)

func Command(a *cli.App) *cobra.Command {
	var o options
	cmd := a.NewCommand(helpText, cli.Args(0, 0, "none: name the process with --pid"),
		func(ctx context.Context, _ []string) error { return runCommand(ctx, a, o) })
	f := cmd.Flags()
	f.IntVar(&o.pid, "pid", 0, "process of the JVM, as jps shows it")
	f.StringVarP(&o.out, "output", "o", "", "archive to write; its name ends in "+cli.ArchiveExtension)
	o.filters.AddFlags(f)
	f.BoolVar(&o.adopted, "with-adopted", false,
		"leave the counts in that the JVM adopted from an archive: to look at, not to merge")
	f.BoolVar(&o.running, "running", false, "do not stop the JVM: profiles may then be of different moments")
	f.DurationVar(&o.stopLimit, "stop-limit", live.DefaultStopLimit,
		"longest time to stop the JVM; the rest is read while it runs; 0 stands for the default")
	a.AddJSONFlag(cmd)
	return cmd
}

func (o *options) dumpOptions() live.Options {
	l := o.filters.Options()
	l.Stop = !o.running
	l.StopLimit = o.stopLimit
	l.KeepAdopted = o.adopted
	return l
}

func runCommand(ctx context.Context, a *cli.App, o options) error {
	if o.pid <= 0 {
		return cli.Usagef("name the process of the JVM: --pid PID, as jps shows it")
	}
	if err := cli.CheckArchiveName(o.out, ""); err != nil {
		return err
	}
	if o.stopLimit < 0 {
		return cli.Usagef("--stop-limit %v: it must not be negative; --running does not stop the JVM", o.stopLimit)
	}
	if err := CheckWritable(ctx, o.out); err != nil {
		return err
	}
	begin := time.Now()
	profiles, read, err := o.readJVM(ctx, func() (*live.VM, error) { return live.Attach(ctx, o.pid) })
	if errors.Is(err, live.ErrPermission) {
		profiles, read, err = o.readByAgent(ctx, a, err)
	}
	if err != nil {
		return err
	}
	took := time.Since(begin)
	written, err := profiles.Commit(ctx, o.out)
	if err != nil {
		return err
	}
	r := newDumpReport(&o, read, written)
	r.ReadNS, r.WriteNS = took.Nanoseconds(), (time.Since(begin) - took).Nanoseconds()
	return a.Print(r, func() { r.printReport(a.Out) })
}

// readJVM reads the JVM. It fails if no profile passes the filters, so that an empty archive never replaces one with
// content.
func (o *options) readJVM(ctx context.Context, attach func() (*live.VM, error)) (
	*builder.Builder, *live.Report, error) {
	vm, err := attach()
	if err != nil {
		return nil, nil, err
	}
	profiles, r, err := vm.Dump(ctx, o.dumpOptions())
	if err != nil {
		return nil, nil, err
	}
	if why := EmptyReason(vm, r, "it has no profiles yet: let it run longer, then dump it again"); why != "" {
		return nil, nil, fmt.Errorf("process %d: %s", o.pid, why)
	}
	r.Describe(ctx, profiles, &live.Contents{})
	return profiles, r, nil
}

// readByAgent reads a JVM that forbids it, by loading the agent into it.
func (o *options) readByAgent(ctx context.Context, a *cli.App, forbidden error) (
	*builder.Builder, *live.Report, error) {
	l, err := live.Listen()
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	s, err := l.LoadAgent(ctx, o.pid, func() (string, error) { return agentcmd.LibraryBuilder(a, false).Find(ctx, "") })
	if err != nil {
		return nil, nil, fmt.Errorf("%w (by the agent: %v)", forbidden, err)
	}
	defer s.Close()
	fmt.Fprintf(a.ErrOut, "profarc: process %d may not be read, so it has loaded the agent, which reads it\n", o.pid)
	return o.readJVM(ctx, func() (*live.VM, error) { return s.Attach(ctx) })
}

type dumpReport struct {
	PID int `json:"pid"`
	live.Recorded
	Refused    codec.Losses  `json:"refused"`
	Undecoded  codec.Losses  `json:"undecoded,omitempty"` // kept, with raw words after an unknown entry
	Adopted    *live.Adopted `json:"adopted,omitempty"`
	Classes    int           `json:"classes"`
	Loaders    int           `json:"loaders"`
	DataBytes  int64         `json:"method_data_bytes"`
	StoppedNS  int64         `json:"stopped_ns"`
	Threads    int           `json:"threads"`
	Consistent bool          `json:"consistent"`
	Archive    string        `json:"archive"`
	Bytes      int64         `json:"bytes"`
	Base       string        `json:"base"`
	DumpID     string        `json:"dump_id"`
	Counts     layout.Counts `json:"counts"`
	ReadNS     int64         `json:"read_ns"`
	WriteNS    int64         `json:"write_ns"`
}

func newDumpReport(o *options, r *live.Report, w builder.Report) *dumpReport {
	d := &dumpReport{
		PID: o.pid, Recorded: r.Recorded, Refused: codec.Losses{},
		Classes: r.Classes, Loaders: r.Loaders, DataBytes: r.Bytes, StoppedNS: r.Stopped.Nanoseconds(), Threads: r.Threads,
		Consistent: r.Consistent, Archive: o.out, Bytes: w.Bytes, Base: fmt.Sprintf("0x%x", w.Base),
		DumpID: fmt.Sprintf("%x", w.DumpID), Counts: w.Counts, Adopted: r.Adopted,
	}
	for _, x := range r.Refused {
		d.Refused = append(d.Refused, codec.Loss{What: codec.LossKind(x.Why), Count: x.Count})
	}
	for _, x := range r.Undecoded {
		d.Undecoded = append(d.Undecoded, codec.Loss{What: codec.LossKind(x.Explanation()), Count: x.Count})
	}
	return d
}

func (r *dumpReport) printReport(w io.Writer) { app.PrintReport(w, reportText, r, nil) }

func (r *dumpReport) AllMethods() int { return r.Methods + r.Skipped }

func (r *dumpReport) AdoptedText() string { return AdoptedText(r.Adopted) }

type Filters struct {
	class        string
	compiledOnly bool
	calls        uint64
}

func (d *Filters) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&d.compiledOnly, "compiled-only", false, "only methods that were compiled at some time of the run")
	f.Uint64Var(&d.calls, "min-invocations", 0, "only methods with at least so many invocations")
	f.StringVar(&d.class, "class", "",
		"only methods of classes that match: "+match.Help)
}

func (d *Filters) Options() live.Options {
	o := live.Options{CompiledOnly: d.compiledOnly, MinInvocations: d.calls, Selection: d.flagsText()}
	if d.class != "" {
		p := match.New(d.class)
		o.Class = p.MatchesClassName
	}
	return o
}

func (d *Filters) flagsText() string {
	var flags []string
	if d.class != "" {
		flags = append(flags, fmt.Sprintf("--class '%s'", d.class))
	}
	if d.compiledOnly {
		flags = append(flags, "--compiled-only")
	}
	if d.calls > 0 {
		flags = append(flags, fmt.Sprintf("--min-invocations %d", d.calls))
	}
	return strings.Join(flags, " ")
}

// EmptyReason returns why a JVM had no profiles, or "" if it had some. early is the
// reason to return for a JVM without profiles so early in its run.
func EmptyReason(vm *live.VM, r *live.Report, early string) string {
	if r.Methods > 0 {
		return ""
	}
	if r.Skipped > 0 {
		return "no method passes the filters: loosen them"
	}
	if len(r.Refused) > 0 {
		return fmt.Sprintf("no profile of it could be taken, %d are %s: dump it again", r.Refused[0].Count, r.Refused[0].Why)
	}
	if flag := vm.Unprofiled(); flag != "" {
		return "with " + flag + " a JVM records no profiles: run it without"
	}
	return early
}

// AdoptedText tells which profiles a JVM had adopted, and whether the dump keeps them.
func AdoptedText(r *live.Adopted) string {
	profiles := cli.Amount(r.Profiles, "profile")
	adopted := fmt.Sprintf("%s had adopted counts of the archive with dump id %x", profiles, r.Archive)
	if r.Kept {
		return adopted + ", and has them still: look at it, and do not merge it"
	}
	return fmt.Sprintf("%s, which are left out; so are %d that the JVM did not use", adopted, r.Unused)
}

var errUnwritten = errors.New("nothing is written")

// CheckWritable fails if an archive could not be written to path. It leaves an existing file unchanged.
func CheckWritable(ctx context.Context, path string) error {
	err := publish.At(ctx, path, func(*publish.File) error { return errUnwritten })
	if errors.Is(err, errUnwritten) {
		return nil
	}
	return err
}
