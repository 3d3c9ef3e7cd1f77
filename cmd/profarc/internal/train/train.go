// Package train implements the command train, which reads the profiles of a command's JVMs.
package train

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/agentcmd"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/dump"
	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/cli/outputlock"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/training"
)

type trainOptions struct {
	out        string
	filters    dump.Filters
	only       string
	merge      bool
	require    int
	keepFailed bool
	accept     []int
	report     string
	quiet      bool
	strict     bool
	first      bool // whether profarc run trains
	base       baseOptions
	openBase   *baseArchive // opened base
}

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	var o trainOptions
	cmd := a.NewCommand(helpText, cli.Args(1, -1, "the command to run, after --"),
		func(ctx context.Context, args []string) error { return runTrain(ctx, a, args, o) })
	f := cmd.Flags()
	f.SetInterspersed(false) // flags after the command's name belong to it
	f.StringVarP(&o.out, "output", "o", "", "archive to write; its name ends in "+cli.ArchiveExtension)
	o.filters.AddFlags(f)
	f.StringVar(&o.only, "only", "",
		"only JVMs whose main class or command line contains this, or matches this pattern with * and ?")
	f.IntVar(&o.require, "require", 0,
		"least methods with profiles in an archive: one with fewer is not written, and the exit code is 1")
	f.BoolVar(&o.keepFailed, "keep-failed", false, "write archives even if the command fails")
	f.IntSliceVar(&o.accept, "accept", nil,
		"exit codes of the command that are no failure, beside 0 and those of an interrupt and SIGTERM, 130 and 143")
	o.base.addFlags(f)
	_ = cmd.RegisterFlagCompletionFunc("base", cli.CompleteArchives(-1))
	f.BoolVar(&o.merge, "merge", false, "one archive of all JVMs that fit together")
	f.StringVar(&o.report, "report", "", "file for the summary, in JSON")
	f.BoolVar(&o.strict, "strict", false, "do not start the command if its JVMs cannot be read")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no summary on stderr, unless something went wrong")
	return cmd
}

// startedIgnoring lists the signals that this process ignored at its start, as under nohup.
var startedIgnoring = func() (ignored []os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, hangup} {
		if signal.Ignored(s) {
			ignored = append(ignored, s)
		}
	}
	return ignored
}()

// StartedIgnoring returns the signals that this process ignored at its start, and that programs it starts must ignore
// too.
func StartedIgnoring() []os.Signal { return slices.Clone(startedIgnoring) }

func runTrain(ctx context.Context, a *cli.App, args []string, o trainOptions) error {
	t, status, err := trainJVMs(ctx, a, args, o)
	if err != nil {
		return err
	}
	return t.reportEnd(ctx, status)
}

// trainJVMs runs a command, and writes the archives of its JVMs when it ends. t is nil if the command was not to be
// started.
func trainJVMs(ctx context.Context, a *cli.App, args []string, o trainOptions) (t *trainingRun,
	status training.Status, err error) {
	if err := checkTrainOutput(ctx, args[0], o); err != nil {
		return nil, status, err
	}
	p, err := javacommand.FindCommand(args, false)
	if err != nil {
		return nil, status, err
	}
	o.openBase, err = openBase(a, &o.base, o.out)
	if err != nil {
		return nil, status, err
	}
	defer o.openBase.closeBase()
	if !o.first { // whose caller holds the lock
		release, err := outputlock.Lock(o.out)
		if err != nil {
			return nil, status, err
		}
		defer release()
	}

	// Signals go to the command, and do not keep its JVMs from being read.
	t = newTraining(context.WithoutCancel(ctx), a, o)
	status, err = t.runCommand(ctx, p.Path, args)
	t.awaitCopies()
	if err != nil {
		return t, status, cli.NotStarted(args[0], err)
	}
	t.publishOutputs(t.refusalOf(status))
	return t, status, nil
}

func (t *trainingRun) runCommand(ctx context.Context, path string, args []string) (training.Status, error) {
	defer func() {
		if t.listener != nil {
			_ = t.listener.Close()
		}
	}()
	return training.Run(training.Command{
		Path: path, Args: args, Files: [3]*os.File{os.Stdin, os.Stdout, os.Stderr}, Held: t.readHeldJVM,
		Ignored:  startedIgnoring,
		Untraced: func() (*live.Listener, []string, error) { return t.prepareUntraced(ctx, args) },
	})
}

// A First is the training run of a program that starts without an archive.
type First struct {
	Archive string // path to write; the caller holds its lock
	All     bool   // include all JVMs below the command
	Quiet   bool   // print no summary, unless something went wrong
	Base    string // base of the new archive; "" for none
}

// stopCodes are the exit codes of programs that an interrupt or SIGTERM stopped, as is usual for servers.
var stopCodes = []int{128 + 2, 128 + 15}

// Run runs a command, and writes the archive when it ends. If the command ran, err is a cli.ExitError with its exit
// code, and otherwise the reason. A command whose JVMs cannot be read does not run.
func (f First) Run(ctx context.Context, a *cli.App, args []string) (ran bool, err error) {
	o := trainOptions{out: f.Archive, merge: f.All, quiet: f.Quiet, first: true, base: baseOptions{path: f.Base}}
	t, status, err := trainJVMs(ctx, a, args, o)
	if err != nil {
		return t != nil && !errors.Is(err, ErrUnread) && !errors.Is(err, errors.ErrUnsupported), err
	}
	t.printSummary()
	end := &cli.ExitError{Code: status.ExitCode()}
	if len(t.jvms) == 0 {
		end.Err = t.noJVMError()
	}
	return true, end
}

// ErrUnread is the error if a command was not started because its JVMs cannot be read.
var ErrUnread = errors.New("tracing is forbidden (in a container add --cap-add=SYS_PTRACE), and the agent cannot be " +
	"used instead")

// prepareUntraced prepares a run where tracing is forbidden. If the agent cannot be used either, the command runs
// unread, but not with --strict or in profarc run.
func (t *trainingRun) prepareUntraced(ctx context.Context, args []string) (*live.Listener, []string, error) {
	l, env, err := t.listenForJVMs(ctx, args)
	switch {
	case err == nil:
		t.listener = l
		return l, env, nil
	case t.o.strict || t.o.first || ctx.Err() != nil:
		return nil, nil, fmt.Errorf("%w: %s", ErrUnread, app.Message(err))
	}
	t.unread = app.Message(err)
	return nil, os.Environ(), nil
}

// listenForJVMs returns an environment in which each JVM loads the agent and connects to the listener at its exit.
func (t *trainingRun) listenForJVMs(ctx context.Context, args []string) (*live.Listener, []string, error) {
	p, err := javacommand.FindCommand(args, false)
	if err != nil {
		return nil, nil, err
	}
	library, err := agentcmd.LibraryBuilder(t.a, t.o.quiet).Find(ctx, "")
	if err == nil {
		err = agentlib.CheckLoads(ctx, library, p.JavaPath())
	}
	if err != nil {
		return nil, nil, err
	}
	l, err := live.Listen()
	if err != nil {
		return nil, nil, err
	}
	flag, err := agentlib.Options{Serve: l.Addr().String()}.AgentPathFlag(library)
	if err == nil {
		p.Way = javacommand.WayInherit
		var s javacommand.Start
		s, err = p.WithFlags(flag)
		if err == nil {
			return l, s.Environment(), nil
		}
	}
	_ = l.Close()
	return nil, nil, err
}
