package profarc

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/reader"
)

// notes are the facts about a function in this run that TableAdvice adds up.
type notes struct{ called, changed bool }

// A noting has the notes of a dump, which the next checkpoint does not repeat.
type noting struct {
	of  *Function
	now notes
}

// noteFunction adds a row of TableAdvice for a function that this run has called.
func (d *dump) noteFunction(f *Function) {
	if f.callsOfRun() == 0 {
		return
	}
	now := notes{called: true, changed: f.changedWays()}
	before := f.noted
	if d.totals {
		before = notes{}
	}
	if now == before {
		return
	}
	b := d.b.Internal()
	profile := b.Expect(profileset.ProfileKey{Method: d.b.Method(f.key), Code: f.code})
	b.Table(disk.TableAdvice, 0).Row(uint64(profile), f.first, increment(before.called, now.called),
		increment(before.changed, now.changed))
	d.noted = append(d.noted, noting{f, now})
}

// increment returns 1 if a note became true.
func increment(before, now bool) uint64 {
	if now && !before {
		return 1
	}
	return 0
}

// callsOfRun returns the calls that this run has counted.
func (f *Function) callsOfRun() (calls uint64) {
	f.run.mu.Lock()
	counters := f.findSite(countersAt)
	f.run.mu.Unlock()
	if counters != nil {
		calls = counters.words[0].Load()
	}
	if f.profile.Valid() {
		if c, ok := f.profile.Invocations(); ok {
			calls += c.Load() - c.Trained()
		}
	}
	return calls
}

// changedWays reports whether a hot point of the archive's profile has gone another way in this run.
func (f *Function) changedWays() bool {
	if !f.profile.Valid() {
		return false
	}
	for e := range f.profile.Entries() {
		if isChanged(waysOf(e)) {
			return true
		}
	}
	return false
}

// waysOf returns the counters of a branch or type profile.
func waysOf(e reader.Entry) (ways []reader.Counter) {
	if b, ok := e.Branch(); ok {
		return []reader.Counter{b.Taken, b.NotTaken}
	}
	if r, ok := e.Receivers(); ok {
		ways = append(ways, r.Other())
		for i := range r.Len() {
			_, count := r.Cells(i)
			ways = append(ways, count)
		}
	}
	return ways
}

// hotPoint is the number of counts from which on the shares of a point's ways are compared.
const hotPoint = 100

// isChanged reports whether the most frequent way of earlier runs lost a quarter of all counts in this run.
func isChanged(ways []reader.Counter) bool {
	before, now := uint64(0), uint64(0)
	var most reader.Counter
	mostBefore := uint64(0)
	for _, w := range ways {
		trained := w.Trained()
		before = disk.SaturatingAdd(before, trained)
		now = disk.SaturatingAdd(now, w.Load()-trained)
		if trained > mostBefore {
			most = w
			mostBefore = trained
		}
	}
	if before < hotPoint || now < hotPoint || mostBefore == 0 {
		return false
	}
	return float64(mostBefore)/float64(before)-float64(most.Load()-mostBefore)/float64(now) > 0.25
}
