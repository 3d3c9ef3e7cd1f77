package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/methods"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// lateClass is a class that the training run never saw.
const lateClass = "plugin/TracingGen"

// demoAdopt adopts the archive and counts in one of its profiles.
func demoAdopt(a *app.App, s *reader.Store, trained reader.Profile) error {
	begin := time.Now()
	if err := s.Adopt(reader.AdoptOptions{Base: archive.Requested}); err != nil {
		return err
	}
	p, err := trained.Adopt()
	if err != nil {
		return err
	}
	took := time.Since(begin)
	state, _ := s.Adoption()
	where := "as it asked"
	if !state.AtRequested {
		where = "where there was room"
	}
	step(a, "adopt", "at 0x%x, %s: %s, %d pointers relocated", state.Base, where, app.FormatDuration(took), state.Relocated)
	return demoCount(a, s, p)
}

// demoCount counts a branch from several goroutines, and receivers of a call.
func demoCount(a *app.App, s *reader.Store, p reader.Profile) error {
	branch, receivers, err := demoPoints(p)
	if err != nil {
		return err
	}
	gen, err := s.FindType(demoMethod.Class, "")
	if err != nil {
		return err
	}
	usable := count(receivers)
	if err := s.Bind(gen, 1); err != nil {
		return err
	}
	step(a, "barrier", "bci %d: %d receivers may be acted on before their classes are loaded, %d when Gen is", demoCall, usable, count(receivers))
	if err := countTogether(branch.Taken); err != nil {
		return err
	}
	late, err := s.LateType(lateClass, "")
	if err != nil {
		return err
	}
	for range 100 {
		if err := receivers.Record(gen); err != nil {
			return err
		}
	}
	for range 10 {
		if err := receivers.Record(late); err != nil {
			return err
		}
	}
	step(a, "count", "%-28s%12s%12s", "", "trained", "live")
	counted(a, fmt.Sprintf("bci %-2d taken", demoBranch), branch.Taken, "by 4 goroutines")
	for row := range receivers.All() {
		name, err := row.Type.Name()
		if err != nil {
			return err
		}
		note := ""
		if row.Type.Late() {
			note = "training never saw it"
		}
		counted(a, fmt.Sprintf("bci %-2d %s", demoCall, methods.SimpleName(name.String())), row.Count, note)
	}
	return nil
}

func counted(a *app.App, what string, c reader.Counter, note string) {
	line := fmt.Sprintf("%-28s%12d%12d  %s", what, c.Trained(), c.Load(), note)
	step(a, "", "%s", strings.TrimRight(line, " "))
}

// demoPoints gives the entries that the demo counts in.
func demoPoints(p reader.Profile) (b reader.Branch, r reader.Receivers, err error) {
	var isBranch, isCall bool
	if e, ok := p.At(demoBranch); ok {
		b, isBranch = e.Branch()
	}
	if e, ok := p.At(demoCall); ok {
		r, isCall = e.Receivers()
	}
	if !isBranch || !isCall {
		err = disk.Corrupt(layout.RegionRW, p.Ref().Offset(), "the demo's profile has other points than the recording")
	}
	return b, r, err
}

// count is the number of receivers whose classes are bound.
func count(r reader.Receivers) (n int) {
	for range r.Bound() {
		n++
	}
	return n
}

// countTogether adds 1000 to a counter from four goroutines.
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
