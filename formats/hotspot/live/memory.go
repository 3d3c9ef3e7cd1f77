package live

import (
	"bytes"
	"encoding/binary"
	"fmt"
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
