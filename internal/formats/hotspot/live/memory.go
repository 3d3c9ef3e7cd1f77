package live

import (
	"encoding/binary"
	"fmt"
)

var le = binary.LittleEndian

// A span is a piece of the process's memory.
type span struct {
	addr uint64
	size int
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
	p     *process
	pages map[uint64][]byte
}

func newPageCache(p *process) *pageCache { return &pageCache{p, map[uint64][]byte{}} }

// bytes gives n bytes at addr.
func (c *pageCache) bytes(addr uint64, n int) ([]byte, error) {
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
	group := addr / (groupPages * pageSize) * (groupPages * pageSize)
	b := make([]byte, groupPages*pageSize)
	if c.p.read(b, group) == nil {
		for i := range uint64(groupPages) {
			c.pages[group+i*pageSize] = b[i*pageSize:][:pageSize:pageSize]
		}
		return c.pages[addr], nil
	}
	b = b[:pageSize:pageSize]
	if err := c.p.read(b, addr); err != nil {
		return nil, fmt.Errorf("0x%x: %w", addr, err)
	}
	c.pages[addr] = b
	return b, nil
}

// text gives the bytes up to the NUL byte at addr, at most limit.
func text(s source, addr uint64, limit int) (string, error) {
	var out []byte
	for len(out) < limit {
		b, err := s.bytes(addr, 1)
		if err != nil {
			return "", err
		}
		if b[0] == 0 {
			return string(out), nil
		}
		out, addr = append(out, b[0]), addr+1
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
