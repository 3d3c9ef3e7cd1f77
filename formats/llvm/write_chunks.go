package llvm

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// The functions of a bucket lie anywhere in the archive, so that writing them
// is waiting for memory. Several goroutines wait at once: each puts a chunk of
// buckets together, and the chunks are written in order.

// chunkBuckets is how many buckets are put together at once.
const chunkBuckets = 1 << 11

// A chunk is the bytes of some buckets, or why there are none.
type chunk struct {
	bytes []byte
	err   error
}

// buckets writes the buckets that are not empty.
func (w *indexedWriter) buckets(p *indexedPlan) (err error) {
	pending := make(chan chan chunk, runtime.GOMAXPROCS(0))
	var failed atomic.Bool
	go func() {
		defer close(pending)
		for first := 0; first < len(p.chains.heads) && !failed.Load(); first += chunkBuckets {
			done := make(chan chunk, 1)
			pending <- done
			go func() { done <- w.chunk(p, p.chains.heads[first:min(first+chunkBuckets, len(p.chains.heads))]) }()
		}
	}()
	for done := range pending {
		c := <-done
		if err != nil {
			continue // let the others come to their end
		}
		if _, err = w.out.Write(c.bytes); c.err != nil {
			err = c.err
		}
		failed.Store(err != nil)
	}
	return err
}

// chunk puts the buckets with those heads together.
func (w *indexedWriter) chunk(p *indexedPlan, heads []int32) (c chunk) {
	size := int64(0)
	for _, head := range heads {
		size += p.bucketSize(head)
	}
	e := itemEncoder{plan: p, walk: newRecordWalk(w.store, nil), encoding: encoding{version: w.encoding.version}, out: make([]byte, 0, size)}
	err := w.store.Mapping().Guard(func() error {
		for _, head := range heads {
			if err := e.bucket(head); err != nil {
				return err
			}
		}
		return nil
	})
	return chunk{e.out, err}
}

// An itemEncoder puts buckets together.
type itemEncoder struct {
	plan     *indexedPlan
	walk     *recordWalk
	encoding encoding
	out      []byte
}

// bucket appends u16 number of items, and the items. With ids that are hashes
// of names there are never too many to be counted.
func (e *itemEncoder) bucket(head int32) error {
	if head == noItem {
		return nil
	}
	at, n := len(e.out), 0
	e.out = append(e.out, 0, 0)
	for item := head; item != noItem; item = e.plan.chains.next[item] {
		if err := e.item(item); err != nil {
			return err
		}
		n++
	}
	if n > math.MaxUint16 {
		return fmt.Errorf("%d functions have ids that end alike, a bucket holds %d: the archive's ids are not those of its names (profarc verify says more)", n, math.MaxUint16)
	}
	le.PutUint16(e.out[at:], uint16(n))
	return nil
}

// item appends u64 hash, u64 length of the name, u64 size of the records, the
// name, the records.
func (e *itemEncoder) item(item int32) error {
	planned := &e.plan.items[item]
	m, err := e.walk.store.MethodAt(planned.method)
	if err != nil {
		return err
	}
	name, err := m.Name()
	if err != nil {
		return err
	}
	records, err := e.walk.of(m)
	if err != nil {
		return err
	}
	e.plan.insertion.sort(planned.place, records)
	start := len(e.out)
	b := le.AppendUint64(e.out, e.plan.hashes[item])
	b = le.AppendUint64(b, uint64(planned.name))
	b = le.AppendUint64(b, uint64(planned.data))
	b = name.AppendTo(b)
	for i := range records {
		b = e.encoding.append(b, &records[i])
	}
	e.out = b
	if int64(len(b)-start) != planned.size() {
		return disk.Corrupt(layout.RegionRW, planned.method.Offset(), "the profile of a function changed while it was written")
	}
	return nil
}
