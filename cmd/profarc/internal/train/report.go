package train

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/dump"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/training"
	"github.com/profarc/profarc/internal/names/escape"
)

var errNoJVM = errors.New("no JVM ended under the command, so no archive was written: name a command that itself " +
	"starts java, " +
	"without a daemon (gradle --no-daemon); GraalVM's native images keep their profiles in .iprof files")

var errNoneServed = errors.New("no JVM was read, so no archive was written: tracing is forbidden, and the agent reads " +
	"none that does not start, crashes, or runs as another user or in another container: see the command's own output")

// noJVMError returns why no JVM was read.
func (t *trainingRun) noJVMError() error {
	if t.listener != nil {
		return errNoneServed
	}
	return errNoJVM
}

// reportEnd prints the results, and returns the exit of train. That is the command's, unless the command succeeded and
// train failed to write.
func (t *trainingRun) reportEnd(ctx context.Context, status training.Status) error {
	t.printSummary()
	end := &cli.ExitError{Code: status.ExitCode(), Err: t.writeReport(ctx, status)}
	if t.unread != "" {
		fmt.Fprintf(t.a.ErrOut, "profarc: nothing was recorded: %v: %s\n", ErrUnread, escape.Printable(t.unread))
		return end
	}
	if end.Code == cli.ExitOK && (end.Err != nil || t.lost || t.short || len(t.archives) == 0) {
		end.Code = cli.ExitFailure
	}
	if len(t.jvms) == 0 {
		end.Err = errors.Join(t.noJVMError(), end.Err)
	} else if mains, none := t.noneSelected(); none {
		end.Err = errors.Join(fmt.Errorf("--only %s selects no JVM: those that ended ran %s: name one of these", t.o.only,
			cli.Enumerated(mains, mostNames)), end.Err)
	}
	return end
}

func (t *trainingRun) noneSelected() (mains []string, none bool) {
	for _, j := range t.jvms {
		if j.Why != notSelected {
			return nil, false
		}
		if main := cmp.Or(j.Main, shortCommand(j.called, "")); !slices.Contains(mains, main) {
			mains = append(mains, main)
		}
	}
	return mains, true
}

func (t *trainingRun) writeReport(ctx context.Context, status training.Status) error {
	if t.o.report == "" {
		return nil
	}
	jvms := t.jvms
	archives := t.archives
	if jvms == nil {
		jvms = []*trainedJVM{}
	}
	if archives == nil {
		archives = []trainedArchive{}
	}
	return cli.PublishPrivate(ctx, t.o.report, func(w io.Writer) error {
		return cli.WriteJSON(w, map[string]any{"exit": status.ExitCode(), "jvms": jvms, "archives": archives})
	})
}

func (t *trainingRun) printSummary() {
	for _, j := range t.jvms {
		if !t.o.quiet || j.Archive == "" && j.Why != notSelected && j.Why != notOwn {
			j.printJVM(t.a.ErrOut, t.o.merge)
		}
	}
	if t.o.merge && !t.o.quiet {
		for _, a := range t.archives {
			a.printArchive(t.a.ErrOut, t.o.out)
		}
	}
	if left := t.leftovers(); len(left) > 0 {
		fmt.Fprintf(t.a.ErrOut, "profarc: not of this run, but there from before: %s\n",
			escape.Printable(cli.Enumerated(left, mostNames)))
	}
}

func (a *trainedArchive) printArchive(w io.Writer, first string) {
	fmt.Fprintf(w, "profarc: wrote %s: %d profiles of %s, %s\n", escape.Printable(a.Archive), a.Profiles,
		cli.Amount(a.JVMs, "JVM"), cli.FormatSize(a.Bytes))
	if a.Apart != "" {
		fmt.Fprintf(w, "profarc: %s is not merged with %s: %s\n", escape.Printable(a.Archive), escape.Printable(first),
			escape.Printable(a.Apart))
	}
}

//go:embed report.txt
var reportText string

func (j *trainedJVM) printJVM(w io.Writer, merged bool) {
	app.PrintReport(w, reportText, map[string]any{"JVM": j, "Merged": merged}, nil)
}

// Name returns the process and the command.
func (j *trainedJVM) Name() string {
	return fmt.Sprintf("JVM %d (%s)", j.PID, escape.Printable(shortCommand(j.called, j.Main)))
}

func (j *trainedJVM) AdoptedText() string { return dump.AdoptedText(j.Adopted) }

// mostNames is the maximum number of JVMs and files in a message.
const mostNames = 4

const maxJVMName = 60

func shortCommand(args []string, main string) string {
	line := strings.Join(strings.Fields(strings.Join(args, " ")), " ")
	if len([]rune(line)) > maxJVMName && main != "" {
		line = path.Base(args[0]) + " ... " + main
	}
	return cli.Shorten(line, maxJVMName)
}
