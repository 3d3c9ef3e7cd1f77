package train

import (
	"context"
	"errors"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/training"
)

// A First is the training run of a program that is started without an archive.
type First struct {
	Archive string // to write; the caller holds its lock (runfiles.Lock)
	All     bool   // all JVMs below the command make the archive, not only the command itself
	Quiet   bool   // no summary on stderr, unless something went wrong
	Base    string // archive that the new one becomes a layer on; empty for none
}

// ends are the exit codes of programs that a user or a supervisor ended, as servers are.
var stopCodes = []int{128 + 2, 128 + 15}

// Run runs a command and writes the archive at its end. path is its file, and args begins with its name. ran
// is whether the command ran; the error is then an cli.ExitError with its exit code, or says why it could not
// be started. If the command may not be traced, it has not run.
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
