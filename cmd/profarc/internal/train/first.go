package train

import (
	"context"
	"errors"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/training"
)

// A First is the training run of a program that starts without an archive.
type First struct {
	Archive string // path to write; the caller holds its lock
	All     bool   // include all JVMs below the command
	Quiet   bool   // print no summary, unless something went wrong
	Base    string // base of the new archive; "" for none
}

// stopCodes are the exit codes of programs that an interrupt or SIGTERM stopped, as is usual for servers.
var stopCodes = []int{128 + 2, 128 + 15}

// Run runs a command, and writes the archive when it ends. path is the executable, and args[0] its name. If the command
// ran, err is a cli.ExitError with its exit code, and otherwise the reason. A command that may not be traced does not
// run.
func (f First) Run(ctx context.Context, a *cli.App, path string, args []string) (ran bool, err error) {
	o := trainOptions{out: f.Archive, accept: stopCodes, merge: f.All, quiet: f.Quiet, first: true}
	if err := checkTrainOutput(ctx, args[0], o); err != nil {
		return false, err
	}
	o.openBase, err = openBase(a, &baseOptions{path: f.Base}, f.Archive)
	if err != nil {
		return false, err
	}
	defer o.openBase.closeBase()
	t := newTraining(context.WithoutCancel(ctx), a, o)
	status, err := t.runCommand(path, args)
	if err != nil {
		t.discardAll()
		return !errors.Is(err, training.ErrPermission) && !errors.Is(err, errors.ErrUnsupported), cli.NotStarted(args[0], err)
	}
	t.publishAll(status)
	t.printSummary()
	end := &cli.ExitError{Code: status.ExitCode()}
	if len(t.jvms) == 0 {
		end.Err = errNoJVM
	}
	return true, end
}
