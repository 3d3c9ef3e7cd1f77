package main

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/system/cputime"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const adoptRounds = 25

type adoption struct {
	name           string
	options        reader.AdoptOptions
	adopts, claims series
}

func (b *bench) measureAdoptions() error {
	kinds := []*adoption{
		{name: "at the requested base", options: reader.AdoptOptions{}},
		{name: "elsewhere, lazy", options: reader.AdoptOptions{Anywhere: true}},
		{name: "elsewhere, eager", options: reader.AdoptOptions{Anywhere: true, Eager: true}},
	}
	var counts [2]series
	err := b.eachRound(shareAdoption, func(round int) error {
		if round == adoptRounds {
			return errEnough
		}
		for _, k := range kinds {
			unmapClosed() // so that the requested base is free
			if err := b.a.WithStore(b.ctx, b.path, func(s *reader.Store) error {
				return b.measureAdoption(s, k, &counts)
			}); err != nil {
				return err
			}
		}
		return nil
	})
	for _, k := range kinds {
		b.report.addRow("adopt "+k.name, &k.adopts, nil)
		b.report.addRow("claim "+k.name, &k.claims, nil)
	}
	b.report.addRow("count in place", &counts[0], &counts[1])
	return err
}

const maxClaims = 1 << 16

func firstProfiles(s *reader.Store) (first []reader.Profile, err error) {
	for p, err := range s.Profiles() {
		if err != nil || len(first) == maxClaims {
			return first, err
		}
		if _, undecoded := p.Undecoded(); !undecoded {
			first = append(first, p)
		}
	}
	return first, nil
}

// measureAdoption adopts an archive, claims its profiles and, at the requested base, counts in them. If that base is in
// use, it records nothing.
func (b *bench) measureAdoption(s *reader.Store, k *adoption, counts *[2]series) error {
	all, err := firstProfiles(s)
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := s.Adopt(k.options); err != nil {
		return err
	}
	adopted := time.Since(begin)
	state, _ := s.Adoption()
	if !k.options.Anywhere && !state.AtRequested {
		b.report.addNote("not measured: adoption at the requested base, which is taken")
		return nil
	}
	begin = time.Now()
	for i, p := range all {
		all[i], err = p.Claim()
		if err != nil {
			return err
		}
	}
	k.adopts.addRound(float64(adopted))
	if len(all) > 0 {
		k.claims.addRound(float64(time.Since(begin)) / float64(len(all)))
	}
	if state.AtRequested {
		return timeCounting(all, counts)
	}
	return nil
}

const (
	countersInTurn = 64 // counters used in turn
	countsPerTurn  = 1 << 14
)

// timeCounting adds to counters of profiles, and to the same number of heap words on separate cache lines.
func timeCounting(all []reader.Profile, times *[2]series) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var counters []reader.Counter
	for _, p := range all {
		if c, ok := p.Invocations(); ok && len(counters) < countersInTurn {
			counters = append(counters, c)
		}
	}
	if len(counters) == 0 {
		return nil
	}
	words := make([]struct {
		atomic.Uint64
		_ [7]uint64
	}, len(counters))
	begin := cputime.ThreadTime()
	for i := range countsPerTurn {
		if err := counters[i%len(counters)].Add(1); err != nil {
			return err
		}
	}
	middle := cputime.ThreadTime()
	for i := range countsPerTurn {
		words[i%len(words)].Add(1)
	}
	end := cputime.ThreadTime()
	times[0].addRound(float64(middle-begin) / countsPerTurn)
	times[1].addRound(float64(end-middle) / countsPerTurn)
	return nil
}

const (
	// firstAccesses is the maximum number of methods to look up in an archive just opened.
	firstAccesses = 1024
	// unmapEvery is the number of opened archives after which they are unmapped.
	unmapEvery = 64
)

func (b *bench) measureOpening() error {
	var opens, first series
	err := b.eachRound(shareOpening, func(round int) error {
		if round%unmapEvery == 0 {
			unmapClosed()
		}
		return b.openOnce(min(firstAccesses, len(b.field.keys)), &opens, &first)
	})
	b.report.addRow("id hit, first access", &first, nil)
	b.report.addRow("open to first hit, warm", &opens, nil)
	return err
}

// openOnce opens the archive, looks up one method by key, and n others by id. It records the time to the first hit, and
// the mean time of the others.
func (b *bench) openOnce(n int, opens, others *series) error {
	q := b.field.nextQuery(1+n, false)
	begin := time.Now()
	s, err := reader.Open(b.path, archive.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Mapping().Guard(func() error {
		p, err := s.Profile(q.keys[0], layout.CodeAny)
		if err != nil {
			return err
		}
		sink.Store(counterValue(p))
		opens.addRound(float64(time.Since(begin)))
		begin := time.Now()
		f := &field{store: s}
		if hits, _ := lookUpIDs(f, q.subQuery(1, 1+n)); hits != n {
			return b.wrongAnswer("first access")
		}
		others.addRound(float64(time.Since(begin)) / float64(n))
		return nil
	})
}

func unmapClosed() {
	runtime.GC()
	runtime.GC()
}
