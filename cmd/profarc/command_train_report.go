package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/profarc/profarc/internal/training"
)

// errNoJVM: the command ended, and nothing can be said of profiles.
var errNoJVM = errors.New("no JVM ended under the command, so no archive was written: name a command that itself starts java, " +
	"without a daemon (gradle --no-daemon); GraalVM's native images keep their profiles in .iprof files")

// reportTraining says what became of the JVMs, when the command has ended.
func (a *app) reportTraining(ctx context.Context, jvms []*trainedJVM, status training.Status, o trainOptions) error {
	failed := error(nil)
	if len(jvms) == 0 {
		failed = errNoJVM
	}
	for _, j := range jvms {
		if !o.quiet || j.Archive == "" {
			j.print(a.errOut)
		}
	}
	if o.report == "" {
		return failed
	}
	if jvms == nil {
		jvms = []*trainedJVM{}
	}
	err := publish(ctx, o.report, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"exit": status.ExitCode(), "jvms": jvms})
	})
	return errors.Join(failed, err)
}

// print says what became of a JVM. Each line names the program that says it,
// for the command's own stderr is before it.
func (j *trainedJVM) print(w io.Writer) {
	name := fmt.Sprintf("JVM %d (%s)", j.PID, shortCommand(j.Command))
	end := "held for"
	if j.Running {
		end = "still running, read in"
	}
	if j.Archive == "" {
		fmt.Fprintf(w, "profarc: no archive of %s: %s\n", name, j.Why)
	} else {
		fmt.Fprintf(w, "profarc: wrote %s: %d methods, %s, of %s, %s, %s %s\n",
			j.Archive, j.Methods, sizeText(j.Bytes), name, j.Producer, end, timeText(time.Duration(j.HeldNS)))
	}
	if j.Apart != "" {
		fmt.Fprintf(w, "profarc: not merged with the others: %s\n", j.Apart)
	}
	if j.Skipped > 0 && j.Archive != "" {
		fmt.Fprintf(w, "profarc: left out %d methods that the filters do not select\n", j.Skipped)
	}
	for _, r := range j.Refused {
		fmt.Fprintf(w, "profarc: refused %d %s", r.Count, r.Why)
		if r.Example != "" {
			fmt.Fprintf(w, ", for instance of %s", r.Example)
		}
		fmt.Fprintln(w)
	}
}
