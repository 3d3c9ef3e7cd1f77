package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
)

type demoOptions struct{ keep string }

// demoArchive is what the demo's archive is called.
const demoArchive = "javac" + archiveExtension

func newDemoCommand(a *app) *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole life of an archive, on a recorded run of javac",
		Long: `Demo takes a training run of javac that was recorded with a real JVM, makes an archive of it,
maps that in a second process, looks profiles up, adopts them where they lie, counts in them,
dumps the result, and maps the archive once more where every pointer must be relocated.

It needs nothing but this program, takes a few seconds, and leaves nothing behind.`,
		Example: `  profarc demo
  profarc demo --keep demo && profarc top demo/javac.parc`,
		Args: argsBetween(0, 0, "none"),
		RunE: a.run(func(ctx context.Context, _ []string) error { return a.runDemo(ctx, o) }),
	}
	cmd.Flags().StringVar(&o.keep, "keep", "", "folder to keep the archives in")
	return cmd
}

func (a *app) runDemo(ctx context.Context, o demoOptions) (err error) {
	begin := time.Now()
	folder := o.keep
	if folder == "" {
		if folder, err = os.MkdirTemp("", "profarc-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	} else if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	a.title("A training run is dumped")
	if err := a.demoBuild(ctx, filepath.Join(folder, demoArchive)); err != nil {
		return err
	}
	if err := a.demoDeploy(ctx, folder); err != nil {
		return err
	}
	kept := "nothing is left behind"
	if o.keep != "" {
		kept = "kept in " + o.keep
	}
	fmt.Fprintf(a.out, "\nDone in %s; %s.\n", timeText(time.Since(begin)), kept)
	return nil
}

// demoBuild makes the archive.
func (a *app) demoBuild(ctx context.Context, path string) error {
	begin := time.Now()
	b, read, err := readRecording()
	if err != nil {
		return err
	}
	a.step("training", recordedRun)
	a.step("", "%d methods were profiled; the JVM printed %s about them at exit", read.Methods, sizeText(recordedText))
	a.step("import", "%d profile entries in %s", read.Entries, timeText(time.Since(begin)))
	begin = time.Now()
	w, err := b.Commit(ctx, path)
	if err != nil {
		return err
	}
	a.step("archive", "%s: %s in %s; %d types, %d pointers", filepath.Base(path), sizeText(w.Bytes), timeText(time.Since(begin)), w.Counts.Types, w.Counts.Pointers)
	a.step("", "it asks to be mapped at 0x%x", w.Base)
	return nil
}

// demoDeploy runs the second process, in the archive's folder.
func (a *app) demoDeploy(ctx context.Context, folder string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := a.out.Flush(); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = []string{os.Args[0], "demo-deploy", demoArchive}
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, a.out, a.errOut
	err = cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("the second process failed (%v): see the line above, then try profarc demo again", exit)
	}
	return err
}

// title begins a part of the demo.
func (a *app) title(format string, args ...any) {
	fmt.Fprintf(a.out, format+"\n\n", args...)
}

// step prints what one step did, at once; a step without a name goes on with
// the one before.
func (a *app) step(name, format string, args ...any) {
	fmt.Fprintf(a.out, "  %-9s %s\n", name, fmt.Sprintf(format, args...))
	_ = a.out.Flush() // fails again at the end
}
