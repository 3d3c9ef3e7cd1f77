package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
	"github.com/profarc/profarc/cmd/profarc/internal/runfiles"
	"github.com/profarc/profarc/cmd/profarc/internal/train"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/training"
)

// checkTraining returns an error if a training run cannot write to the archive's name.
func (o *runOptions) checkTraining() error {
	if !o.train {
		return nil
	}
	if strings.Contains(o.archive, "%") {
		return cli.Usagef("--archive %s: of a training run %% has a meaning in names: leave it out", o.archive)
	}
	return cli.CheckArchiveName(o.archive, "")
}

func (o *runOptions) isDue() bool {
	info, err := os.Stat(o.archive)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return o.retrainAfter > 0 && time.Since(info.ModTime()) > o.retrainAfter
}

// trainOnce runs the program as a training run, unless another start is training or has just written the archive. If
// trained is true, err is the program's exit.
func (o *runOptions) trainOnce(ctx context.Context, a *cli.App, p *javacommand.Program) (trained bool, err error) {
	release, err := runfiles.LockOutput(o.archive)
	if errors.Is(err, runfiles.ErrLocked) {
		return false, fmt.Errorf("%s: another start trains it now", o.archive)
	} else if err != nil {
		return false, err
	}
	defer release()
	if !o.isDue() {
		return false, nil
	}
	first := train.First{Archive: o.archive, All: p.Way == javacommand.WayInherit, Quiet: o.quiet, Base: o.base}
	ran, err := first.Run(ctx, a, p.Path, p.Args)
	if !ran && errors.Is(err, training.ErrPermission) {
		return false,
			fmt.Errorf("%s: the program may not be traced to make it: in a container add --cap-add=SYS_PTRACE, or train "+
				"elsewhere (see profarc train)", o.archive)
	}
	return ran, err
}
