package benchcmd

import "github.com/profarc/profarc/layout"

// A contender looks up all methods of a query. It returns the number of hits, and adds up their counters.
type contender func(f *field, q query) (hits int, sum uint64)

// A contest is one kind of lookup, done by the archive and by a map.
type contest struct {
	name       string
	missing    bool
	group      int // number of lookups timed together
	contenders [2]contender
	times      [2]series
	goroutines int
}

// Groups are small, so that they show which lookups are slow; batches need some lookups to have their effect.
const (
	smallGroup = 16
	batchGroup = 128
)

func contests() []*contest {
	return []*contest{
		{name: "id hit", group: smallGroup, contenders: [2]contender{lookup, mapID}},
		{name: "id hit, dependent", group: smallGroup, contenders: [2]contender{lookupDependent, mapDependent}},
		{name: "id hit, batch", group: batchGroup, contenders: [2]contender{lookupBatch, mapID}},
		{name: "id miss", group: smallGroup, missing: true, contenders: [2]contender{lookup, mapID}},
		{name: "key hit", group: smallGroup, contenders: [2]contender{find, mapKey}},
		{name: "key hit, batch", group: batchGroup, contenders: [2]contender{findBatch, mapKey}},
		{name: "key miss", group: smallGroup, missing: true, contenders: [2]contender{find, mapKey}},
	}
}

func lookup(f *field, q query) (hits int, sum uint64) {
	for _, id := range q.ids {
		if p, err := f.store.ProfileID(id, layout.CodeAny); err == nil {
			sum += counterValue(p)
			hits++
		}
	}
	return hits, sum
}

// lookupDependent adds zero to each index in a way that the processor cannot predict, so each lookup waits for the
// previous counter.
func lookupDependent(f *field, q query) (hits int, sum uint64) {
	for i := range q.ids {
		if p, err := f.store.ProfileID(q.ids[i+int(sum&zero)], layout.CodeAny); err == nil {
			sum += counterValue(p)
			hits++
		}
	}
	return hits, sum
}

func find(f *field, q query) (hits int, sum uint64) {
	for i := range q.keys {
		if p, err := f.store.Profile(q.keys[i], layout.CodeAny); err == nil {
			sum += counterValue(p)
			hits++
		}
	}
	return hits, sum
}

func lookupBatch(f *field, q query) (hits int, sum uint64) {
	hits, err := f.store.ProfileIDBatch(q.ids, nil, f.found[:len(q.ids)])
	return f.sumBatch(hits, len(q.ids), err)
}

func findBatch(f *field, q query) (hits int, sum uint64) {
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

func mapID(f *field, q query) (hits int, sum uint64) {
	for _, id := range q.ids {
		if at, ok := f.byID[id]; ok {
			sum += f.readWord(at)
			hits++
		}
	}
	return hits, sum
}

func mapDependent(f *field, q query) (hits int, sum uint64) {
	for i := range q.ids {
		if at, ok := f.byID[q.ids[i+int(sum&zero)]]; ok {
			sum += f.readWord(at)
			hits++
		}
	}
	return hits, sum
}

func mapKey(f *field, q query) (hits int, sum uint64) {
	for i := range q.keys {
		if at, ok := f.byKey[q.keys[i]]; ok {
			sum += f.readWord(at)
			hits++
		}
	}
	return hits, sum
}
