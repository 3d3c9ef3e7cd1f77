package demo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/show"
	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/entries"
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
	err := entries.EachMethod(context.Background(), s, func(_ reader.Method, k layout.Key) error {
		keys = append(keys, k)
		return nil
	})
	lookUp := func() error {
		for _, k := range keys {
			if _, err := s.Find(k); err != nil {
				return err
			}
		}
		return nil
	}
	if err = cmp.Or(err, lookUp()); err != nil { // checks the pages
		return err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	err = lookUp()
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

// lateClass is a class that the training run did not load.
const lateClass = "plugin/TracingGen"

func demoAdopt(a *cli.App, s *reader.Store, trained reader.Profile) error {
	begin := time.Now()
	if err := s.Adopt(reader.AdoptOptions{}); err != nil {
		return err
	}
	p, err := trained.Claim()
	if err != nil {
		return err
	}
	took := time.Since(begin)
	state, _ := s.Adoption()
	where := "as it asked"
	if !state.AtRequested {
		where = "where there was room"
	}
	printStep(a, "adopt", "at 0x%x, %s: %s, %d pointers relocated", state.Base, where, cli.FormatDuration(took),
		state.Relocated)
	return demoCount(a, s, p)
}

func demoCount(a *cli.App, s *reader.Store, p reader.Profile) error {
	branch, receivers, errBranch := demoPoints(p)
	gen, errGen := s.FindType(demoMethod.Class, "")
	if err := cmp.Or(errBranch, errGen); err != nil {
		return err
	}
	usable := countBound(receivers)
	if err := s.Bind(gen, 1); err != nil {
		return err
	}
	printStep(a, "barrier", "bci %d: %d receivers may be acted on before their classes are loaded, %d when Gen is",
		demoCall,
		usable, countBound(receivers))
	if err := countTogether(branch.Taken); err != nil {
		return err
	}
	late, err := s.LateType(lateClass, "")
	if err != nil {
		return err
	}
	for range 100 {
		if _, err := receivers.Record(gen); err != nil {
			return err
		}
	}
	for range 10 {
		if _, err := receivers.Record(late); err != nil {
			return err
		}
	}
	printStep(a, "count", "%-28s%12s%12s", "", "trained", "live")
	printCounter(a, fmt.Sprintf("bci %-2d taken", demoBranch), branch.Taken, "by 4 goroutines")
	for row := range receivers.All() {
		name, err := row.Type.Name()
		if err != nil {
			return err
		}
		note := ""
		if row.Type.Late() {
			note = "training never saw it"
		}
		printCounter(a, fmt.Sprintf("bci %-2d %s", demoCall, methods.SimpleName(name.String())), row.Count, note)
	}
	return nil
}

func printCounter(a *cli.App, what string, c reader.Counter, note string) {
	line := fmt.Sprintf("%-28s%12d%12d  %s", what, c.Trained(), c.Load(), note)
	printStep(a, "", "%s", strings.TrimRight(line, " "))
}

func demoPoints(p reader.Profile) (b reader.Branch, r reader.Receivers, err error) {
	var isBranch, isCall bool
	if e, ok := p.At(demoBranch); ok {
		b, isBranch = e.Branch()
	}
	if e, ok := p.At(demoCall); ok {
		r, isCall = e.Receivers()
	}
	if !isBranch || !isCall {
		err = errors.New("the demo's profile has other points than the recording")
	}
	return b, r, err
}

func countBound(r reader.Receivers) (n int) {
	for range r.Bound() {
		n++
	}
	return n
}

func countTogether(c reader.Counter) error {
	errs := make(chan error, 4)
	var all sync.WaitGroup
	for range cap(errs) {
		all.Go(func() {
			for range 250 {
				if err := c.Add(1); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}
