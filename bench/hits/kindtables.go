package main

import (
	"fmt"

	"github.com/profarc/profarc/bench/report"
	"github.com/profarc/profarc/internal/format/cputime"
	"github.com/profarc/profarc/internal/paired"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const (
	kindsDependent   = "kinds of methods, dependent"
	kindsIndependent = "kinds of methods, independent"

	kindsNote = "All kinds lie in one archive, in turn, with profiles and keys as long as javac's. Ratios are to the " +
		"plain hit. " +
		"A context is that of a method which has three, each within the next, asked for by Find and Method.Profile; its " +
		"callers were looked up before. " +
		"A method that was never executed has no profile: its lookup ends with this answer."
)

// A kindLook looks method i of a query up and returns its counter, or counted if it was never executed.
type kindLook func(f *kindField, q *kindQuery, i int) uint64

var kindLooks = [numKinds]kindLook{
	kindPlain: findAny, kindList: findAny, kindLoader: findAny,
	kindContext:    findInContext,
	kindVersions:   findVersion,
	kindUnexecuted: findUnexecuted,
}

// count reads the invocation counter of a profile.
func count(p reader.Profile) uint64 {
	c, _ := p.Invocations()
	return c.Load()
}

func findAny(f *kindField, q *kindQuery, i int) uint64 {
	if p, err := f.store.Profile(q.keys[i], layout.CodeAny); err == nil {
		return count(p)
	}
	return 0
}

func findVersion(f *kindField, q *kindQuery, i int) uint64 {
	if p, err := f.store.Profile(q.keys[i], version); err == nil {
		return count(p)
	}
	return 0
}

func findInContext(f *kindField, q *kindQuery, i int) uint64 {
	m, err := f.store.Find(q.keys[i])
	if err != nil {
		return 0
	}
	if p, depth, err := m.Profile(layout.CodeAny, q.frames[i][:]...); err == nil && depth == frames {
		return count(p)
	}
	return 0
}

func findUnexecuted(f *kindField, q *kindQuery, i int) uint64 {
	if m, err := f.store.Find(q.keys[i]); err == nil && m.Unexecuted() {
		return counted
	}
	return 0
}

// all looks all of a query up. If a lookup depends on the one before, see [query].
func (look kindLook) all(f *kindField, q *kindQuery, dependent bool) (sum uint64) {
	last := uint64(counted)
	for i := range q.keys {
		if dependent {
			i ^= int(last ^ counted)
		}
		last = look(f, q, i)
		sum += last
	}
	return sum
}

// measure lets the kinds take turns.
func (f *kindField) measure(dependent bool, rounds int) (report.Table, error) {
	share := min(50_000, f.n/numKinds)
	repeats := max(1, 20_000/share)
	g := guard(rounds)
	for kind := range kindLooks {
		g.Turns = append(g.Turns, func() (float64, error) { return f.turn(kind, share, repeats, dependent) })
	}
	costs, noise, err := g.Run()
	if err != nil {
		return report.Table{}, err
	}
	t := report.Table{Title: kindsIndependent, Methods: f.n, Note: kindsNote, Noise: noise}
	if dependent {
		t.Title = kindsDependent
	}
	for kind, name := range kindNames {
		t.Rows = append(t.Rows, report.Row{Name: name, Value: paired.Median(costs[kind])})
	}
	compare(&t, costs)
	return t, nil
}

// turn returns the nanoseconds of a lookup.
func (f *kindField) turn(kind, share, repeats int, dependent bool) (float64, error) {
	q, err := f.query(kind, share)
	if err != nil {
		return 0, err
	}
	look := kindLooks[kind]
	if repeats > 1 { // as hot as it gets
		look.all(f, q, false)
	}
	begin, sum := cputime.Thread(), uint64(0)
	for range repeats {
		sum += look.all(f, q, dependent)
	}
	cost := float64(cputime.Thread()-begin) / float64(share*repeats)
	if want := uint64(share*repeats) * counted; sum != want {
		return 0, fmt.Errorf("%s: counters sum to %d, want %d", kindNames[kind], sum, want)
	}
	return cost, nil
}
