package live

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/system/lists"
)

// A dump walks twice. The first walk records the spans it reads while the process runs. During the second walk the
// process is held. It first reads all recorded spans at once, so that the walk itself reads only new spans. The walk
// requests spans in the same order as before, unless something has changed, and then finds them without searching.

type recorder struct {
	source
	visits []span // visited spans in walk order
}

func (r *recorder) readBytes(addr uint64, n int) ([]byte, error) {
	b, err := r.source.readBytes(addr, n)
	if err == nil {
		r.visits = append(r.visits, span{addr, n})
	}
	return b, err
}

// mergeGap is the largest gap in bytes between spans that are read as one, which is faster than reading another span.
const mergeGap = 1024

func (r *recorder) newReplay(mem memory, m *meter) (*replay, error) {
	out := &replay{mem: mem, meter: m, visits: r.visits, positions: make([]spanPosition, len(r.visits)),
		known: make(map[uint64]int, len(r.visits))}
	total := out.mergeSpans()
	if err := m.read.spendUnits(total); err != nil {
		return nil, err
	}
	out.buf = warmBuffer(total)
	return out, nil
}

func (r *replay) mergeSpans() (total int) {
	sorted := lists.Below(len(r.visits))
	slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(r.visits[a].addr, r.visits[b].addr) })
	for _, i := range sorted {
		s := r.visits[i]
		last := len(r.spans) - 1
		if last < 0 || s.addr > r.spans[last].addr+uint64(r.spans[last].size)+mergeGap {
			r.spans = append(r.spans, span{s.addr, 0})
			r.starts = append(r.starts, total)
			last++
		}
		merged := &r.spans[last]
		grown := max(merged.size, int(s.addr-merged.addr)+s.size)
		total += grown - merged.size
		merged.size = grown
		r.positions[i] = spanPosition{last, r.starts[last] + int(s.addr-merged.addr)}
		if had, ok := r.known[s.addr]; !ok || r.visits[had].size < s.size {
			r.known[s.addr] = i
		}
	}
	return total
}

type replay struct {
	mem       memory
	meter     *meter
	visits    []span
	positions []spanPosition // position of each visit
	known     map[uint64]int // the largest visit at an address
	next      int            // index of the next visit
	spans     []span         // merged spans
	starts    []int          // offset in buf of each span
	missed    []bool         // spans that are no longer mapped
	buf       []byte
	calls     int
	tick      func() // called every tickCalls calls
}

// A spanPosition is the position of a visited span: its merged span and its offset in buf.
type spanPosition struct{ span, start int }

func (r *replay) readSpans() error {
	r.next = 0
	r.missed = make([]bool, len(r.spans))
	return r.mem.readSpans(r.buf, r.spans, func(i int) error {
		r.missed[i] = true
		return r.meter.countStep()
	})
}

const tickCalls = 256

func (r *replay) readBytes(addr uint64, n int) ([]byte, error) {
	if r.calls++; r.calls%tickCalls == 0 {
		r.tick()
	}
	if err := r.meter.countStep(); err != nil {
		return nil, err
	}
	if b, ok := r.recordedBytes(addr, n); ok {
		return b, nil
	}
	return r.meter.readCounted(r.mem, addr, n)
}

func (r *replay) recordedBytes(addr uint64, n int) (b []byte, ok bool) {
	i := r.next
	if i >= len(r.visits) || r.visits[i].addr != addr || r.visits[i].size < n {
		i, ok = r.known[addr]
		if !ok || r.visits[i].size < n {
			return nil, false
		}
	}
	if n < 0 || r.missed[r.positions[i].span] {
		return nil, false
	}
	r.next = i + 1
	return r.buf[r.positions[i].start:][:n:n], true
}

// warmBuffer returns a buffer with all pages allocated, so that a held process does not wait for page faults.
func warmBuffer(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += pageSize {
		b[i] = 1
	}
	return b
}
