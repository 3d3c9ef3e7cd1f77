package main

import (
	"cmp"
	"errors"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/profarc/profarc/internal/system/cputime"
	"github.com/profarc/profarc/layout"
)

const maxLookupsPerTurn = 1 << 12

// measureLookups lets the archive (0) and the map (1) of all contests take turns. The garbage collector runs only
// between turns.
func (b *bench) measureLookups() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	clock := clockCost()
	all := contests()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	err := b.eachRound(shareLookups, func(round int) error {
		if round%8 == 0 {
			runtime.GC()
		}
		for _, c := range all {
			if b.field.copied > mostCopied {
				runtime.GC()
				b.field.copied = 0
			}
			first := round % 2
			err := errors.Join(b.timeTurn(c, first, clock), b.timeTurn(c, 1-first, clock))
			if err = cmp.Or(b.ctx.Err(), err); err != nil { // an interrupt closes the archive
				return err
			}
		}
		return nil
	})
	for _, c := range all {
		b.report.addRow(c.name, &c.times[0], &c.times[1])
	}
	return err
}

func (b *bench) timeTurn(c *contest, which int, clock float64) error {
	f := b.field
	look := c.contenders[which]
	s := &c.times[which]
	lookups := f.lookupsPerTurn()
	share := max(1, min(lookups, len(f.keys)/4))
	repeats := (lookups + share - 1) / share
	q := f.nextQuery(2*share, c.missing)
	if repeats > 1 { // warm the caches
		repeatLookups(f, q.subQuery(share, 2*share), look, 1)
		repeatLookups(f, q.subQuery(0, share), look, 1)
	}
	begin := cputime.ThreadTime()
	hits := repeatLookups(f, q.subQuery(0, share), look, repeats)
	s.addRound(float64(cputime.ThreadTime()-begin) / float64(share*repeats))
	hits += s.inGroups(f, q.subQuery(share, 2*share), look, c.group, clock)
	if want := share * (repeats + 1); !c.missing && hits != want || c.missing && hits != 0 {
		return b.wrongAnswer(c.name)
	}
	return nil
}

func repeatLookups(f *field, q query, look contender, times int) (hits int) {
	total := uint64(0)
	for range times {
		n, sum := look(f, q)
		hits += n
		total += sum
	}
	sink.Store(total)
	return hits
}

func (s *series) inGroups(f *field, q query, look contender, group int, clock float64) (hits int) {
	for from := 0; from < len(q.ids); from += group {
		part := q.subQuery(from, min(from+group, len(q.ids)))
		begin := time.Now()
		hits += repeatLookups(f, part, look, 1)
		took := max(0, float64(time.Since(begin))-clock)
		if len(part.ids) == group || len(q.ids) < group {
			s.groups = append(s.groups, took/float64(len(part.ids)))
		}
	}
	return hits
}

func clockCost() float64 {
	var costs samples
	for range 1000 {
		begin := time.Now()
		costs = append(costs, float64(time.Since(begin)))
	}
	return costs.quantile(0.5)
}

// A contender looks up all methods of a query. It returns the number of hits, and adds up their counters.
type contender func(f *field, q query) (hits int, sum uint64)

type contest struct {
	name       string
	missing    bool
	group      int // number of lookups timed together
	contenders [2]contender
	times      [2]series
}

// Groups are small, so that they show which lookups are slow; batches need some lookups to have their effect.
const (
	smallGroup = 16
	batchGroup = 128
)

func contests() []*contest {
	return []*contest{
		{name: "id hit", group: smallGroup, contenders: [2]contender{lookUpIDs, lookUpIDsInMap}},
		{name: "id hit, dependent", group: smallGroup, contenders: [2]contender{lookUpIDsDependent, lookUpInMapDependent}},
		{name: "id hit, batch", group: batchGroup, contenders: [2]contender{lookUpIDBatch, lookUpIDsInMap}},
		{name: "id miss", group: smallGroup, missing: true, contenders: [2]contender{lookUpIDs, lookUpIDsInMap}},
		{name: "key hit", group: smallGroup, contenders: [2]contender{lookUpKeys, lookUpKeysInMap}},
		{name: "key hit, batch", group: batchGroup, contenders: [2]contender{lookUpKeyBatch, lookUpKeysInMap}},
		{name: "key miss", group: smallGroup, missing: true, contenders: [2]contender{lookUpKeys, lookUpKeysInMap}},
	}
}

func lookUpIDs(f *field, q query) (hits int, sum uint64) {
	for _, id := range q.ids {
		if p, err := f.store.ProfileID(id, layout.CodeAny); err == nil {
			sum += counterValue(p)
			hits++
		}
	}
	return hits, sum
}

// lookUpIDsDependent adds zero to each index in a way that the processor cannot predict, so each lookup waits for the
// previous counter.
func lookUpIDsDependent(f *field, q query) (hits int, sum uint64) {
	for i := range q.ids {
		if p, err := f.store.ProfileID(q.ids[i+int(sum&zero)], layout.CodeAny); err == nil {
			sum += counterValue(p)
			hits++
		}
	}
	return hits, sum
}

func lookUpKeys(f *field, q query) (hits int, sum uint64) {
	for i := range q.keys {
		if p, err := f.store.Profile(q.keys[i], layout.CodeAny); err == nil {
			sum += counterValue(p)
			hits++
		}
	}
	return hits, sum
}

func lookUpIDBatch(f *field, q query) (hits int, sum uint64) {
	hits, err := f.store.ProfileIDBatch(q.ids, nil, f.found[:len(q.ids)])
	return f.sumBatch(hits, len(q.ids), err)
}

func lookUpKeyBatch(f *field, q query) (hits int, sum uint64) {
	hits, err := f.store.ProfileBatch(q.keys, nil, f.found[:len(q.keys)])
	return f.sumBatch(hits, len(q.keys), err)
}

func (f *field) sumBatch(hits, n int, err error) (int, uint64) {
	if err != nil || hits != n {
		return 0, 0
	}
	sum := uint64(0)
	for _, p := range f.found[:n] {
		sum += counterValue(p)
	}
	return hits, sum
}

func lookUpIDsInMap(f *field, q query) (hits int, sum uint64) {
	for _, id := range q.ids {
		if at, ok := f.byID[id]; ok {
			sum += f.readWord(at)
			hits++
		}
	}
	return hits, sum
}

func lookUpInMapDependent(f *field, q query) (hits int, sum uint64) {
	for i := range q.ids {
		if at, ok := f.byID[q.ids[i+int(sum&zero)]]; ok {
			sum += f.readWord(at)
			hits++
		}
	}
	return hits, sum
}

func lookUpKeysInMap(f *field, q query) (hits int, sum uint64) {
	for i := range q.keys {
		if at, ok := f.byKey[q.keys[i]]; ok {
			sum += f.readWord(at)
			hits++
		}
	}
	return hits, sum
}
