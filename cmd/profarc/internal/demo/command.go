// Package demo shows the whole life of an archive on a recorded run.
package demo

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/layout"
)

type demoOptions struct{ keep string }

const demoArchive = "javac" + cli.ArchiveExtension

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	var o demoOptions
	cmd := a.NewCommand(helpText, cli.Args(0, 0, "none"),
		func(ctx context.Context, _ []string) error { return runDemo(ctx, a, o) })
	cmd.Flags().StringVar(&o.keep, "keep", "", "folder to keep the archives in")
	return cmd
}

func runDemo(ctx context.Context, a *cli.App, o demoOptions) (err error) {
	begin := time.Now()
	folder := o.keep
	if folder == "" {
		folder, err = os.MkdirTemp("", "profarc-demo-")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	} else if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	printTitle(a, "A training run is dumped")
	if err := demoBuild(ctx, a, filepath.Join(folder, demoArchive)); err != nil {
		return err
	}
	if err := demoDeploy(ctx, a, folder); err != nil {
		return err
	}
	kept := "nothing is left behind"
	if o.keep != "" {
		kept = "kept in " + o.keep
	}
	fmt.Fprintf(a.Out, "\nDone in %s; %s.\n", cli.FormatDuration(time.Since(begin)), kept)
	return nil
}

func demoBuild(ctx context.Context, a *cli.App, path string) error {
	begin := time.Now()
	read, err := readRecording()
	if err != nil {
		return err
	}
	printStep(a, "training", recordedRun)
	printStep(a, "", "%d methods were profiled; the JVM printed %s about them at exit", read.Methods,
		cli.FormatSize(recordedText))
	printStep(a, "import", "%d profile entries in %s", read.Entries, cli.FormatDuration(time.Since(begin)))
	begin = time.Now()
	w, err := read.Dumps[0].Commit(ctx, path)
	if err != nil {
		return err
	}
	printStep(a, "archive", "%s: %s in %s; %d types, %d pointers", filepath.Base(path), cli.FormatSize(w.Bytes),
		cli.FormatDuration(time.Since(begin)), w.Counts.Types, w.Counts.Pointers)
	printStep(a, "", "it asks to be mapped at 0x%x", w.Base)
	return nil
}

func demoDeploy(ctx context.Context, a *cli.App, folder string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := a.Out.Flush(); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = []string{os.Args[0], "demo-deploy", demoArchive}
	cmd.Dir = folder
	cmd.Stdout = a.Out
	cmd.Stderr = a.ErrOut
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

func printTitle(a *cli.App, format string, args ...any) { fmt.Fprintf(a.Out, format+"\n\n", args...) }

// printStep prints the result of one step immediately. A step without a name continues the previous one.
func printStep(a *cli.App, name, format string, args ...any) {
	fmt.Fprintf(a.Out, "  %-9s %s\n", name, fmt.Sprintf(format, args...))
	_ = a.Out.Flush() // reported at the end
}

// The training run of the demo; recording/RECORDING.md describes it.
//
//go:embed recording/javac.methoddata.txt.zst
var recording []byte

const (
	recordedRun  = "javac 17 compiled java.util.concurrent: 71 files, 58530 lines"
	recordedBy   = "OpenJDK 17.0.15+6"
	recordedText = 13_016_811 // bytes
)

var demoMethod = layout.Key{
	Class: "com/sun/tools/javac/jvm/Gen", Name: "genStats",
	Signature: "(Lcom/sun/tools/javac/util/List;Lcom/sun/tools/javac/comp/Env;)V",
}

// Profile points of demoMethod. demoBranch ends its loop, and demoCall generates a statement. The only receiver of
// demoCall was demoMethod.Class.
const (
	demoBranch = 6
	demoCall   = 19
)

func readRecording() (*codec.Report, error) {
	text, err := zstd.NewReader(bytes.NewReader(recording))
	if err != nil {
		return nil, err
	}
	defer text.Close()
	return (&hotspot.Importer{}).Import(&codec.Input{Reader: text, Name: "the recording", Config: builder.Config{
		Producer: recordedBy, DumpTime: time.Date(2026, 11, 20, 14, 3, 0, 0, time.UTC),
	}})
}
