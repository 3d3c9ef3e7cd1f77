package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
	"github.com/profarc/profarc/cmd/profarc/internal/train"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/cli/outputlock"
)

// firstWithProfiles is the first JDK whose AOT caches have profiles (JEP 515).
const firstWithProfiles = 25

// withoutMachineCode are the flags for a cache without machine code. By default a VM stores adapters in it, and VMs on
// other processors load them without a check.
var withoutMachineCode = []string{"-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTAdapterCaching", "-XX:-AOTStubCaching"}

func (o *runOptions) checkCache() error {
	switch {
	case o.aotOutput == "" && o.thisCPU:
		return cli.Usagef("--this-cpu is for the cache that --aot-output makes: name it")
	case o.aotOutput == "":
		return nil
	case o.inherit || o.print || o.train || o.agent.Dry:
		return cli.Usagef("--aot-output runs java twice, and takes no --inherit, --print, --train-if-missing or --dry-run")
	case o.agent.Policy != "" || o.agent.Flags != "":
		return cli.Usagef("--aot-output has a policy and flags of its own: leave out --policy and --vm-flags")
	}
	o.agent.Record, o.agent.Flags, o.strict = true, "keep", true
	return nil
}

// writeCache runs the program with the agent while the VM records an AOT configuration, and then starts the VM again
// without the agent to create the cache. The VM rejects agents while it creates a cache.
func (o *runOptions) writeCache(ctx context.Context, a *cli.App, p *javacommand.Program) error {
	if v := featureVersion(p.Version()); v != 0 && v < firstWithProfiles {
		return fmt.Errorf("%s is of JDK %d, and AOT caches have profiles from JDK %d on: name a newer java", p.Args[0], v,
			firstWithProfiles)
	}
	flag, err := o.agentFlag(ctx, a, p)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(filepath.Dir(o.aotOutput), ".profarc-aot-") // same file system, so that Rename works
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	record := filepath.Join(folder, "record")
	cache := filepath.Join(folder, "cache")
	end := runJava(ctx, a, p, "-XX:AOTMode=record", "-XX:AOTConfiguration="+record, flag)
	if end != nil && !wasStopped(end) {
		return noCacheError(o.aotOutput, end)
	}
	ctx = context.WithoutCancel(ctx) // the signal that stops a server must not stop the creation of its cache
	create := []string{"-XX:AOTMode=create", "-XX:AOTConfiguration=" + record, "-XX:AOTCache=" + cache}
	if !o.thisCPU {
		create = append(create, withoutMachineCode...)
	}
	if err := runJava(ctx, a, p, create...); err != nil {
		return noCacheError(o.aotOutput, err)
	}
	info, err := os.Stat(cache)
	if err != nil {
		return fmt.Errorf("%s: the VM made no cache: run java with -XX:AOTMode=record alone to see why", o.aotOutput)
	}
	if err := os.Rename(cache, o.aotOutput); err != nil {
		return err
	}
	if !o.quiet {
		fmt.Fprintf(a.ErrOut, "profarc: wrote %s: %s, with the profiles of %s; start java with -XX:AOTCache=%s\n",
			o.aotOutput, cli.FormatSize(info.Size()), o.archive, o.aotOutput)
	}
	return end
}

func noCacheError(name string, end error) error {
	var exit *cli.ExitError
	if errors.As(end, &exit) {
		return &cli.ExitError{Code: exit.Code, Err: fmt.Errorf("%s: no cache is made: the command failed with exit code %d",
			name, exit.Code)}
	}
	return end
}

func wasStopped(end error) bool {
	var exit *cli.ExitError
	return errors.As(end, &exit) && (exit.Code == 130 || exit.Code == 143)
}

func runJava(ctx context.Context, a *cli.App, p *javacommand.Program, flags ...string) error {
	s, err := p.WithFlags(flags...)
	if err != nil {
		return err
	}
	cmd := exec.Command(s.Path, s.Args[1:]...)
	cmd.Args[0], cmd.Env = s.Args[0], s.Environment()
	cmd.Stdin = a.In
	cmd.Stdout = a.Streams.RawOut
	cmd.Stderr = a.Streams.RawErr
	if err := cmd.Start(); err != nil {
		return cli.NotStarted(s.Args[0], err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
	defer stop()
	var exit *exec.ExitError
	err = cmd.Wait()
	if errors.As(err, &exit) {
		return &cli.ExitError{Code: exit.ExitCode()}
	}
	return err
}

func featureVersion(version string) int {
	n, _ := strconv.Atoi(strings.FieldsFunc(version+".", func(r rune) bool { return r < '0' || r > '9' })[0])
	return n
}

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
	release, err := outputlock.Lock(o.archive)
	if errors.Is(err, outputlock.ErrLocked) {
		return false, fmt.Errorf("%s: another start trains it now", o.archive)
	} else if err != nil {
		return false, err
	}
	defer release()
	if !o.isDue() {
		return false, nil
	}
	first := train.First{Archive: o.archive, All: p.Way == javacommand.WayInherit, Quiet: o.quiet, Base: o.base}
	ran, err := first.Run(ctx, a, p.Args)
	if !ran && errors.Is(err, train.ErrUnread) {
		return false, fmt.Errorf("%s: %w", o.archive, err)
	}
	return ran, err
}
