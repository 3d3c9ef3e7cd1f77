package live

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

var le = binary.LittleEndian

// A span is a piece of the process's memory.
type span struct {
	addr uint64
	size int
}

// A memory is the memory of a process.
type memory interface {
	// read fills b with the bytes at addr. The error is errFault if not all of them are
	// mapped.
	read(b []byte, addr uint64) error
	// readMany fills b with spans, one after the other. A span that is not wholly mapped
	// is filled with zeros and reported to missed, whose error ends the reading.
	readMany(b []byte, spans []span, missed func(i int) error) error
}

// A source reads the process's memory. Its results are read-only and never change.
type source interface {
	bytes(addr uint64, n int) ([]byte, error)
}

const (
	pageSize   = 4096
	groupPages = 4       // pages that are read at once
	maxPages   = 1 << 18 // that are kept: 1 GiB
	maxRead    = 1 << 26 // bytes of one read: no structure of a VM is as large
)

// A pageCache reads each page of a process once. It is for memory that does not change
// while the process runs.
type pageCache struct {
	mem   memory
	meter *meter
	pages map[uint64][]byte
}

func newPageCache(mem memory, m *meter) *pageCache { return &pageCache{mem, m, map[uint64][]byte{}} }

// bytes returns n bytes at addr.
func (c *pageCache) bytes(addr uint64, n int) ([]byte, error) {
	if err := c.meter.countStep(); err != nil {
		return nil, err
	}
	if n < 0 || n > maxRead || addr+uint64(n) < addr {
		return nil, fmt.Errorf("%w: a read of %d bytes at 0x%x", ErrStructure, n, addr)
	}
	first := addr / pageSize * pageSize
	if page, err := c.page(first); err != nil || addr+uint64(n) <= first+pageSize {
		if err != nil {
			return nil, err
		}
		return page[addr-first:][:n:n], nil
	}
	out := make([]byte, 0, n)
	for at := first; len(out) < n; at += pageSize {
		page, err := c.page(at)
		if err != nil {
			return nil, err
		}
		if at == first {
			page = page[addr-first:]
		}
		out = append(out, page[:min(len(page), n-len(out))]...)
	}
	return out, nil
}

// page returns the page at addr, which is read with its neighbours.
func (c *pageCache) page(addr uint64) ([]byte, error) {
	if page, ok := c.pages[addr]; ok {
		return page, nil
	}
	if len(c.pages) >= maxPages {
		clear(c.pages)
	}
	if err := c.meter.read.spend(groupPages * pageSize); err != nil {
		return nil, err
	}
	group := addr / (groupPages * pageSize) * (groupPages * pageSize)
	b := make([]byte, groupPages*pageSize)
	if c.mem.read(b, group) == nil {
		for i := range uint64(groupPages) {
			c.pages[group+i*pageSize] = b[i*pageSize:][:pageSize:pageSize]
		}
		return c.pages[addr], nil
	}
	b = b[:pageSize:pageSize]
	if err := c.mem.read(b, addr); err != nil {
		return nil, fmt.Errorf("0x%x: %w", addr, err)
	}
	c.pages[addr] = b
	return b, nil
}

// textAt returns the bytes before the NUL byte at addr or after it. ended is false if
// the first limit bytes have none. If the end cannot be read, it returns the bytes
// before that with the error.
func textAt(s source, addr uint64, limit int) (text string, ended bool, err error) {
	var out []byte
	for len(out) < limit {
		n := min(limit-len(out), int(pageSize-addr%pageSize)) // the next page may not be mapped
		b, err := s.bytes(addr, n)
		if err != nil {
			return string(out), false, err
		}
		if end := bytes.IndexByte(b, 0); end >= 0 {
			return string(append(out, b[:end]...)), true, nil
		}
		out, addr = append(out, b...), addr+uint64(n)
	}
	return string(out), false, nil
}

func word(s source, addr uint64) (uint64, error) {
	b, err := s.bytes(addr, 8)
	if err != nil {
		return 0, err
	}
	return le.Uint64(b), nil
}

func int32At(s source, addr uint64) (int32, error) {
	b, err := s.bytes(addr, 4)
	if err != nil {
		return 0, err
	}
	return int32(le.Uint32(b)), nil
}

// A dump walks twice. The first walk records what it reads while the process runs.
// During the second one the process is held. The recorded spans are read again at
// once, so that the walk itself reads only what is new.

// A recorder reads the process and records the spans.
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

// mergeGap is the largest gap between two spans that are read as one.
const mergeGap = 256

// replay returns the recorded spans, to be read again.
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
	if err := m.read.spend(total); err != nil {
		return nil, err
	}
	out.buf = make([]byte, total)
	return out, nil
}

// A replay reads recorded spans again at once.
type replay struct {
	mem    memory
	meter  *meter
	spans  []span // merged
	starts []int  // of each in buf
	missed []bool // spans that are no longer mapped
	places map[uint64]place
	buf    []byte
	calls  int
	tick   func() // called now and then
}

// A place says where the bytes of a recorded span lie.
type place struct {
	span, start, size int
}

// load reads everything.
func (r *replay) load() error {
	r.missed = make([]bool, len(r.spans))
	return r.mem.readMany(r.buf, r.spans, func(i int) error {
		r.missed[i] = true
		return r.meter.countStep()
	})
}

// tickCalls is after how many calls tick is called.
const tickCalls = 256

func (r *replay) bytes(addr uint64, n int) ([]byte, error) {
	if r.calls++; r.calls%tickCalls == 0 {
		r.tick()
	}
	if err := r.meter.countStep(); err != nil {
		return nil, err
	}
	if at, ok := r.places[addr]; ok && n <= at.size && !r.missed[at.span] {
		return r.buf[at.start:][:n:n], nil
	}
	if n < 0 || n > maxRead {
		return nil, fmt.Errorf("%w: a read of %d bytes at 0x%x", ErrStructure, n, addr)
	}
	if err := r.meter.read.spend(n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	if err := r.mem.read(b, addr); err != nil {
		return nil, fmt.Errorf("0x%x: %w", addr, err)
	}
	return b, nil
}
