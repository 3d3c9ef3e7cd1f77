// Package web is the command web, which shows archives in a browser.
package web

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/check"
	"github.com/profarc/profarc/cmd/profarc/internal/web/pages"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/reader"
)

type options struct {
	out        string
	listen     string
	methods    int
	open       bool
	classPath  string
	sourcePath string
	binary     string
}

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	var o options
	cmd := a.NewCommand(helpText, cli.Args(1, 2, "one archive or two"),
		func(ctx context.Context, args []string) error { return runWeb(ctx, a, args, o) })
	cmd.ValidArgsFunction = cli.CompleteArchives(2, cli.ProfileExtensions...)
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write one HTML file instead")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "address of this machine; port 0 takes a free one")
	f.BoolVar(&o.open, "open", false, "open the first page in a browser")
	f.IntVar(&o.methods, "methods", 40, "methods that have pages in the file")
	f.StringVar(&o.classPath, "class-path", "", "class path with the profiled code")
	f.StringVar(&o.sourcePath, "source-path", "", "folders, jars and zips with the sources")
	f.StringVar(&o.binary, "binary", "", "program with the profiled functions: its assembly, and its coverage mapping of LLVM")
	return cmd
}

func (o *options) checkValues() error {
	if o.open && o.out != "" {
		return cli.Usagef("--open is for pages that are served: leave out --output, or open %s yourself", o.out)
	}
	if o.methods < 0 {
		return cli.Usagef("--methods %d: it must not be negative", o.methods)
	}
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return cli.Usagef("--listen %s: give an address and a port, as 127.0.0.1:8080", o.listen)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return cli.Usagef("--listen %s: only addresses of this machine are served, as 127.0.0.1:8080", o.listen)
	}
	return nil
}

func runWeb(ctx context.Context, a *cli.App, paths []string, o options) error {
	if err := o.checkValues(); err != nil {
		return err
	}
	return a.WithStore(ctx, paths[0], func(s *reader.Store) error {
		if len(paths) == 1 {
			return o.writeOrServe(ctx, a, s, nil)
		}
		return a.WithStore(ctx, paths[1], func(other *reader.Store) error { return o.writeOrServe(ctx, a, s, other) })
	})
}

func (o *options) writeOrServe(ctx context.Context, a *cli.App, s, other *reader.Store) error {
	classPath, err := check.AddRecordedJDK(s, classfile.SplitPath(o.classPath))
	if err != nil {
		return err
	}
	site := pages.NewSite(ctx, pages.Options{Archive: s, Other: other, ClassPath: classPath,
		SourcePath: classfile.SplitPath(o.sourcePath), Binary: o.binary})
	defer site.Close()
	if o.out != "" {
		return o.writeReport(ctx, a, site)
	}
	return o.serveSite(ctx, a, site)
}

func (o *options) writeReport(ctx context.Context, a *cli.App, site *pages.Site) error {
	meter := a.StepMeter("writing the pages of " + o.out)
	defer meter.Done()
	return cli.Publish(ctx, o.out, func(w io.Writer) error {
		return site.WriteReport(ctx, w, o.methods,
			func(done, total int) { meter.Report(int64(done), int64(total)) })
	})
}

func (o *options) serveSite(ctx context.Context, a *cli.App, site *pages.Site) error {
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w: choose another port, or 0 for a free one", o.listen, errors.Unwrap(err))
	}
	pages, err := pages.NewServer(site, l.Addr())
	if err != nil {
		return errors.Join(err, l.Close())
	}
	address := fmt.Sprintf("http://%s%s", l.Addr(), pages.Path())
	fmt.Fprintln(a.Out, address)
	if err := a.Out.Flush(); err != nil {
		return errors.Join(err, l.Close())
	}
	fmt.Fprintln(a.ErrOut, "profarc: open this address in a browser; an interrupt ends web")
	if o.open {
		if err := openBrowser(ctx, address); err != nil {
			fmt.Fprintf(a.ErrOut, "profarc: no browser was opened: %s\n", cli.OneLine(err.Error()))
		}
	}
	return pages.Serve(ctx, l)
}

// openBrowser asks the system to show an address. The started program can end before the browser does.
func openBrowser(ctx context.Context, address string) error {
	command := "xdg-open"
	arguments := []string{address}
	switch runtime.GOOS {
	case "darwin":
		command = "open"
	case "windows":
		command = "rundll32"
		arguments = []string{"url.dll,FileProtocolHandler", address}
	}
	opening := exec.CommandContext(ctx, command, arguments...)
	if err := opening.Start(); err != nil {
		return err
	}
	go func() { _ = opening.Wait() }() // leaves no zombie
	return nil
}
