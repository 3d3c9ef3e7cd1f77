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

// A memory is that of a process.
type memory interface {
	// read fills b with what lies at addr. The error is errFault if not all of it
	// is mapped.
	read(b []byte, addr uint64) error
	// readMany fills b with spans, one after the other. Those that are not wholly
	// mapped are zeros, and missed is called with their index; its error ends the
	// reading.
	readMany(b []byte, spans []span, missed func(i int) error) error
}

// A reader of the process's memory. What it gives must not be written to, and
// stays as it is.
type source interface {
	bytes(addr uint64, n int) ([]byte, error)
}

const (
	pageSize   = 4096
	groupPages = 4       // pages that are read at once
	maxPages   = 1 << 18 // 1 GiB: bounds what is kept of any process
	maxRead    = 1 << 26 // bounds one read: no structure of a VM is as large
)

// A pageCache reads a process page by page, and each page once: for what does
// not change while the process runs.
type pageCache struct {
	mem   memory
	meter *meter
	pages map[uint64][]byte
}

func newPageCache(mem memory, m *meter) *pageCache { return &pageCache{mem, m, map[uint64][]byte{}} }

// bytes gives n bytes at addr.
func (c *pageCache) bytes(addr uint64, n int) ([]byte, error) {
	if err := c.meter.step(); err != nil {
		return nil, err
	}
	if n < 0 || n > maxRead || addr+uint64(n) < addr {
		return nil, fmt.Errorf("%w: %d bytes at 0x%x are asked for", ErrStructure, n, addr)
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

// page gives the page at addr, which is read with its neighbours.
func (c *pageCache) page(addr uint64) ([]byte, error) {
	if page, ok := c.pages[addr]; ok {
		return page, nil
	}
	if len(c.pages) >= maxPages {
		clear(c.pages)
	}
	if err := c.meter.read.take(groupPages * pageSize); err != nil {
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

// text returns the bytes before the NUL byte at addr or after it, of which there
// must be fewer than limit.
func text(s source, addr uint64, limit int) (string, error) {
	var out []byte
	for len(out) < limit {
		n := min(limit-len(out), int(pageSize-addr%pageSize)) // what follows may not be mapped
		b, err := s.bytes(addr, n)
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(b, 0); end >= 0 {
			return string(append(out, b[:end]...)), nil
		}
		out, addr = append(out, b...), addr+uint64(n)
	}
	return "", fmt.Errorf("%w: a name of more than %d bytes", ErrStructure, limit)
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
