package live

import (
	"cmp"
	"fmt"
	"slices"
)

// A dump walks twice. The first walk goes on while the process runs, and
// records what it reads. For the second the process is held: all of that is
// read again at once, so that the walk finds nearly everything at hand and
// reads one by one only what is new.

// A recorder reads the process and records the spans that it was asked for.
type recorder struct {
	source
	spans []span
	sizes map[uint64]int // the largest span at an address
}

func (r *recorder) bytes(addr uint64, n int) ([]byte, error) {
	b, err := r.source.bytes(addr, n)
	if had, ok := r.sizes[addr]; err == nil && (!ok || had < n) {
		r.sizes[addr] = n
	}
	return b, err
}

// mergeGap is how far apart two spans may lie to be read as one.
const mergeGap = 256

// replay gives what was recorded, to be read again.
func (r *recorder) replay(mem memory, m *meter) (*replay, error) {
	for addr, size := range r.sizes {
		r.spans = append(r.spans, span{addr, size})
	}
	slices.SortFunc(r.spans, func(a, b span) int { return cmp.Compare(a.addr, b.addr) })
	out := &replay{mem: mem, meter: m, places: make(map[uint64]place, len(r.spans))}
	total := 0
	for _, s := range r.spans {
		last := len(out.spans) - 1
		if last < 0 || s.addr > out.spans[last].addr+uint64(out.spans[last].size)+mergeGap {
			out.spans = append(out.spans, span{s.addr, 0})
			out.starts = append(out.starts, total)
			last++
		}
		merged := &out.spans[last]
		grown := max(merged.size, int(s.addr-merged.addr)+s.size)
		total += grown - merged.size
		merged.size = grown
		out.places[s.addr] = place{last, out.starts[last] + int(s.addr-merged.addr), s.size}
	}
	if err := m.read.take(total); err != nil {
		return nil, err
	}
	out.buf = make([]byte, total)
	return out, nil
}

// A replay reads again at once what was recorded.
type replay struct {
	mem    memory
	meter  *meter
	spans  []span // merged
	starts []int  // of each in buf
	missed []bool // spans that are not there any more
	places map[uint64]place
	buf    []byte
	calls  int
	tick   func() // called now and then
}

// place is where the bytes of a recorded span lie.
type place struct {
	span, start, size int
}

// load reads everything.
func (r *replay) load() error {
	r.missed = make([]bool, len(r.spans))
	return r.mem.readMany(r.buf, r.spans, func(i int) error {
		r.missed[i] = true
		return r.meter.step()
	})
}

// tickCalls is after how many calls tick is called.
const tickCalls = 256

func (r *replay) bytes(addr uint64, n int) ([]byte, error) {
	if r.calls++; r.calls%tickCalls == 0 {
		r.tick()
	}
	if err := r.meter.step(); err != nil {
		return nil, err
	}
	if at, ok := r.places[addr]; ok && n <= at.size && !r.missed[at.span] {
		return r.buf[at.start:][:n:n], nil
	}
	if n < 0 || n > maxRead {
		return nil, fmt.Errorf("%w: %d bytes at 0x%x are asked for", ErrStructure, n, addr)
	}
	if err := r.meter.read.take(n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	if err := r.mem.read(b, addr); err != nil {
		return nil, fmt.Errorf("0x%x: %w", addr, err)
	}
	return b, nil
}
