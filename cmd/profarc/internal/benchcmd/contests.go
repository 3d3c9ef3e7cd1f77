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
