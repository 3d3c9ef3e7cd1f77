// Package app provides advice about errors of formats, reports of losses, and a limit on printed output, which several
// commands share.
package app

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"text/template"
	"time"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/cli/formatadvice"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/training"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func New(in io.Reader, s cli.Streams) *cli.App {
	a := cli.New("profarc", in, s)
	a.Advice = advice.For
	return a
}

func Message(err error) string { return cli.Message(err, advice.For) }

// ParseShare parses the value of a flag: 99.9% or 0.999. "" is 0.
func ParseShare(flag, text string) (layout.Weight, error) {
	number, percent := strings.CutSuffix(text, "%")
	w, err := merging.ParseWeight(number)
	if percent {
		if w%100 != 0 {
			err = fmt.Errorf("at most seven decimal places are held")
		}
		w /= 100
	}
	switch {
	case text == "":
		return 0, nil
	case err != nil || w > layout.WeightOne:
		return 0, cli.Usagef("%s %s: write a share as 99.9%% or 0.999", flag, text)
	}
	return w, nil
}

// An OutputLimit is the number of bytes after which printing fails; 0 is the default. The output can be many times
// larger than the archive, since each record repeats the names and calling contexts it refers to.
type OutputLimit int64

// The default is this many times the size of the archive, but no less than that
// many bytes. The output about a recorded archive is 2 to 10 times its size.
const (
	outputShare = 64
	outputLeast = 1 << 30
)

var _ pflag.Value = (*OutputLimit)(nil)

func (l *OutputLimit) AddFlag(f *pflag.FlagSet) {
	f.Var(l, "max-output", fmt.Sprintf("most that is printed, as 20GB (default %d times the archive, 1GB at least)",
		outputShare))
}

func (l *OutputLimit) Type() string { return "size" }

func (l *OutputLimit) String() string {
	if *l == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*l), 10)
}

func (l *OutputLimit) Set(text string) error {
	n, err := cli.ParseSize(text)
	if err == nil {
		*l = OutputLimit(n)
	}
	return err
}

func (l OutputLimit) limitFor(s *reader.Store) int64 {
	if l != 0 {
		return int64(l)
	}
	return max(outputLeast, outputShare*s.Header().FileSize)
}

func (l OutputLimit) LimitWriter(w io.Writer, s *reader.Store) io.Writer {
	most := l.limitFor(s)
	return &limitedOutput{w, most,
		fmt.Errorf("%s: it has %s, and prints as more than %s, since its names or calling contexts are shared by many "+
			"records: choose some with profarc show --class or --method, or name a higher --max-output",
			s.Mapping().Name(), cli.FormatSize(s.Header().FileSize), cli.FormatSize(most))}
}

// A limitedOutput writes left more bytes, and then fails with errTooMuch.
type limitedOutput struct {
	w          io.Writer
	left       int64
	errTooMuch error
}

func (o *limitedOutput) Write(b []byte) (int, error) {
	full := int64(len(b)) > o.left
	if full {
		b = b[:o.left]
	}
	n, err := o.w.Write(b)
	o.left -= int64(n)
	if full && err == nil {
		err = o.errTooMuch
	}
	return n, err
}

// PrintReport prints a report by a text/template with the functions of reportFuncs and of more, which may be nil. The
// template is a text of this program, so an error in it is a defect.
func PrintReport(w io.Writer, text string, report any, more template.FuncMap) {
	var b strings.Builder
	t := template.New("").Funcs(reportFuncs).Funcs(more)
	if err := template.Must(t.Parse(text)).Execute(&b, report); err != nil {
		panic(err)
	}
	_, _ = io.WriteString(w, b.String()) // commands flush their outputs, and report the error
}

// PrintColumns prints a report as PrintReport does, with cells that end in tabs as columns. flags has the
// flags of the tabwriter.
func PrintColumns(w io.Writer, flags uint, text string, report any, more template.FuncMap) {
	columns := tabwriter.NewWriter(w, 0, 8, 2, ' ', flags)
	PrintReport(columns, text, report, more)
	columns.Flush()
}

var reportFuncs = template.FuncMap{
	"printable": func(text any) string { return escape.Printable(fmt.Sprint(text)) },
	"amount":    amountText,
	"join":      strings.Join,
	"shorten":   cli.Shorten,
	"share":     cli.FormatPercent,
	"size":      cli.FormatSize,
	"duration":  func(ns int64) string { return cli.FormatDuration(time.Duration(ns)) },
	"losses": func(lost codec.Losses) string {
		var b strings.Builder
		formatadvice.PrintLosses(&b, lost)
		return b.String()
	},
}

func amountText(n any, noun string) string {
	if n, ok := n.(uint64); ok {
		return cli.Amount(n, noun)
	}
	return cli.Amount(n.(int), noun)
}

// advice lists remedies for errors, by the sentinel that they match. The first match applies. Package cli lists
// remedies for errors about files and archives.
var advice = slices.Concat(formatadvice.Errors, cli.Advice{
	{live.ErrUnsupported, formatadvice.PrintMethodData + ", and import what it prints"},
	{live.ErrNoProcess, "find the JVM's with jps, and name it as this side of a container sees it"},
	{live.ErrZombie, "dump it earlier, or run it under profarc train"},
	{live.ErrGone, "dump it earlier, or start it again"},
	{live.ErrPermission, "run as its user or as root; " +
		"if /proc/sys/kernel/yama/ptrace_scope is 1 or more, as root or with CAP_SYS_PTRACE; " +
		"in a container add --cap-add=SYS_PTRACE"},
	{live.ErrTraced, "a process has one tracer at most, so that no other can hold it: " +
		"wait for the tracer's end, then try again, or read the process without holding it (--running)"},
	{live.ErrOpenJ9, "run the program on HotSpot"},
	{live.ErrNotHotSpot, "name the process of java itself, as jps shows it, or wait until it has started; " +
		"GraalVM's native images keep their profiles in .iprof files"},
	{live.ErrNoTables, "run the program on JDK 17 to 25 with the server or client VM, or wait until it has started"},
	{live.ErrStructure, "wait until it has started, then dump it again"},
	{live.ErrAdopted,
		"start the JVM with the agent of this version of profarc; dump --with-adopted takes what the JVM has as it is, to " +
			"be looked at"},
	{live.ErrBudget, "name the process of java itself, as jps shows it, or dump it again"},
	{compare.ErrDomains, "name archives of one domain and one type of samples"},
	{training.ErrUnsupported, formatadvice.PrintMethodData + ", and import what it prints"},
	{training.ErrPermission, "if this runs under a debugger, strace or another training run, run it outside; " +
		"if /proc/sys/kernel/yama/ptrace_scope is 3, tracing is forbidden to all; " +
		"in a container add --cap-add=SYS_PTRACE"},
})

// An unaccountedError is a difference between an archive and its inputs that has no reason.
type unaccountedError []ledger.Difference

// RefuseUnaccounted returns an error if an archive differs from its inputs without a reason. The archive is written by
// then.
func RefuseUnaccounted(all []ledger.Difference) error {
	if len(all) == 0 {
		return nil
	}
	return unaccountedError(all)
}

func RefuseUnaccountedLosses(lost codec.Losses) error {
	var all []ledger.Difference
	for _, l := range lost {
		if l.What == ledger.ReasonUnaccounted {
			all = append(all, ledger.Difference{Unit: l.Unit, Amount: l.Amount})
		}
	}
	return RefuseUnaccounted(all)
}

// Error returns, for example, "unaccounted: 12 samples lost".
func (e unaccountedError) Error() string {
	text := lists.Join(e, ", ", func(d ledger.Difference) string {
		what := map[bool]string{false: "lost", true: "added"}[d.Gained]
		return fmt.Sprintf("%s %s %s", cli.Grouped(d.Amount), d.Unit, what)
	})
	return "unaccounted: " + text + ": this is a defect of profarc; report it with the input"
}

// HasAdvice reports true; see layout.Error.
func (unaccountedError) HasAdvice() bool { return true }
