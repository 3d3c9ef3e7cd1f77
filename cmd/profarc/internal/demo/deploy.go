package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/show"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

func DeployCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:    "demo-deploy ARCHIVE",
		Short:  "The second process of demo",
		Hidden: true,
		Args:   cli.Args(1, 1, "one archive"),
		RunE:   a.Run(func(ctx context.Context, args []string) error { return runDemoDeploy(ctx, a, args[0]) }),
	}
}

func runDemoDeploy(ctx context.Context, a *cli.App, path string) error {
	fmt.Fprintln(a.Out)
	printTitle(a, "Another process, %d, maps the archive", os.Getpid())
	s, p, err := demoOpen(a, path)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := demoLookUp(a, s); err != nil {
		return err
	}
	if err := demoShow(a, s); err != nil {
		return err
	}
	printTitle(a, "It adopts the profiles where they lie, and counts on")
	err = demoAdopt(a, s, p)
	if errors.Is(err, errors.ErrUnsupported) {
		printStep(a, "adopt", "not on this machine: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	return demoSnapshot(ctx, a, s)
}

func demoOpen(a *cli.App, path string) (*reader.Store, reader.Profile, error) {
	begin := time.Now()
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return nil, reader.Profile{}, err
	}
	opened := time.Since(begin)
	begin = time.Now()
	m, err := s.Find(demoMethod)
	if err != nil {
		return nil, reader.Profile{}, err
	}
	p, _, err := m.Profile(layout.CodeAny)
	printStep(a, "open", "%s, the same for any size; the first profile after %s more", cli.FormatDuration(opened),
		cli.FormatDuration(time.Since(begin)))
	return s, p, err
}

func demoLookUp(a *cli.App, s *reader.Store) error {
	var keys []layout.Key
	for m, err := range s.Methods() {
		if err != nil {
			return err
		}
		k, err := m.Key()
		if err != nil {
			return err
		}
		keys = append(keys, k)
	}
	lookUp := func() error {
		for _, k := range keys {
			if _, err := s.Find(k); err != nil {
				return err
			}
		}
		return nil
	}
	if err := lookUp(); err != nil { // checks the pages
		return err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	err := lookUp()
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	printStep(a, "look up", "all %d methods by name: %s and %d allocations each", len(keys),
		cli.FormatDuration(took/time.Duration(len(keys))), (after.Mallocs-before.Mallocs)/uint64(len(keys)))
	return err
}

func demoShow(a *cli.App, s *reader.Store) error {
	m, err := s.Find(demoMethod)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := show.PrintMethod(&text, s, m); err != nil {
		return err
	}
	fmt.Fprintln(a.Out)
	for line := range strings.Lines(text.String()) {
		fmt.Fprint(a.Out, "  ", line)
	}
	fmt.Fprintln(a.Out)
	return nil
}

func demoSnapshot(ctx context.Context, a *cli.App, s *reader.Store) error {
	begin := time.Now()
	config := builder.ConfigOf(s.Header())
	config.DumpID, config.DumpTime = [16]byte{}, time.Now()
	b := builder.New(s.Header().Domain, config)
	dropped, err := merge.Snapshot(ctx, b, s, merge.Totals)
	if err != nil {
		return err
	}
	const live = "live" + cli.ArchiveExtension
	w, err := b.Commit(ctx, live)
	if err != nil {
		return err
	}
	printStep(a, "dump", "%s: %s in %s, with the live counts and %d more type", live, cli.FormatSize(w.Bytes),
		cli.FormatDuration(time.Since(begin)), w.Counts.Types-s.Header().Counts.Types)
	if dropped.Rows+dropped.Profiles > 0 {
		printStep(a, "", "it lacks %v", dropped)
	}
	if err := s.Mapping().Verify(ctx, nil); err != nil {
		return err
	}
	printStep(a, "", "%s has not changed: all its pages still fit their sums", demoArchive)
	return nil
}
