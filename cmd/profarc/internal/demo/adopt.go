package demo

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/reader"
)

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
