package live

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
)

var le = binary.LittleEndian

type span struct {
	addr uint64
	size int
}

type memory interface {
	// readAt fills b with the bytes at addr. The error is errFault if not all of them are mapped.
	readAt(b []byte, addr uint64) error
	// readSpans fills b with spans, one after the other. A span that is not wholly mapped is filled with zeros and
	// reported to missed, whose error ends the reading.
	readSpans(b []byte, spans []span, missed func(i int) error) error
}

// A pageTable has copied pages by page address.
type pageTable map[uint64][]byte

func (c pageTable) readAt(b []byte, addr uint64) error {
	for len(b) > 0 {
		page, ok := c[addr/pageSize*pageSize]
		if !ok {
			return errFault
		}
		n := copy(b, page[addr%pageSize:])
		b = b[n:]
		addr += uint64(n)
	}
	return nil
}

func (c pageTable) readSpans(b []byte, spans []span, missed func(i int) error) error {
	for i, s := range spans {
		if c.readAt(b[:s.size], s.addr) != nil {
			clear(b[:s.size])
			if err := missed(i); err != nil {
				return err
			}
		}
		b = b[s.size:]
	}
	return nil
}

// A source reads the process's memory. Its results are read-only and never change.
type source interface {
	readBytes(addr uint64, n int) ([]byte, error)
}

const (
	pageSize   = 4096
	groupPages = 4       // pages to read at once
	maxPages   = 1 << 18 // maximum number of cached pages, 1 GiB, except for copies
	maxRead    = 1 << 26 // maximum bytes of one read; no structure of a VM is as large
)

// A pageCache reads each page of a process once. It is for memory that does not change while the process runs.
type pageCache struct {
	mem         memory
	meter       *meter
	pages       map[uint64][]byte
	recent      [recentPages]recentPage
	newBuffer   func(n int) []byte // allocates n bytes
	readSize    uint64             // bytes to read at once
	maxPages    int                // maximum number of cached pages
	bufferBytes int                // total size of all buffers
	fullError   error              // error when the buffers have maxPages; nil to discard all pages instead
}

// A recentPage is a recently used page. Most reads are near others.
type recentPage struct {
	addr  uint64
	bytes []byte
}

const recentPages = 1 << 8

func newPageCache(mem memory, m *meter) *pageCache {
	room := func(n int) []byte { return make([]byte, n) }
	return &pageCache{mem: mem, meter: m, pages: map[uint64][]byte{}, newBuffer: room, readSize: groupPages * pageSize,
		maxPages: maxPages}
}

func (c *pageCache) readBytes(addr uint64, n int) ([]byte, error) {
	if err := c.countRead(addr, n); err != nil {
		return nil, err
	}
	first := addr / pageSize * pageSize
	if page, err := c.loadPage(first); err != nil || addr+uint64(n) <= first+pageSize {
		if err != nil {
			return nil, err
		}
		return page[addr-first:][:n:n], nil
	}
	out := make([]byte, 0, n)
	for at := first; len(out) < n; at += pageSize {
		page, err := c.loadPage(at)
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

func (c *pageCache) countRead(addr uint64, n int) error {
	if err := c.meter.countStep(); err != nil {
		return err
	}
	if n < 0 || n > maxRead || addr+uint64(n) < addr {
		return fmt.Errorf("%w: a read of %d bytes at 0x%x", ErrStructure, n, addr)
	}
	return nil
}

func (c *pageCache) loadPages(addr uint64, n int) error {
	err := c.countRead(addr, n)
	for at := addr / pageSize * pageSize; err == nil && at < addr+uint64(n); at += pageSize {
		_, err = c.loadPage(at)
	}
	return err
}

func (c *pageCache) loadPage(addr uint64) ([]byte, error) {
	r := &c.recent[addr/pageSize%recentPages]
	if r.addr == addr && r.bytes != nil {
		return r.bytes, nil
	}
	page, ok := c.pages[addr]
	if !ok {
		var err error
		page, err = c.readPage(addr)
		if err != nil {
			return nil, err
		}
	}
	*r = recentPage{addr, page}
	return page, nil
}

// readPage reads the page at addr with its neighbors.
func (c *pageCache) readPage(addr uint64) ([]byte, error) {
	if c.fullError != nil && c.bufferBytes >= c.maxPages*pageSize {
		c.meter.end = cmp.Or(c.meter.end, c.fullError)
		return nil, c.fullError
	}
	if len(c.pages) >= c.maxPages {
		clear(c.pages)
	}
	if err := c.meter.read.spendUnits(int(c.readSize)); err != nil {
		return nil, err
	}
	group := addr / c.readSize * c.readSize
	b := c.newBuffer(int(c.readSize))
	c.bufferBytes += len(b)
	if c.mem.readAt(b, group) == nil {
		for at := uint64(0); at < c.readSize; at += pageSize {
			c.pages[group+at] = b[at:][:pageSize:pageSize]
		}
		return c.pages[addr], nil
	}
	b = b[:pageSize:pageSize]
	if err := c.mem.readAt(b, addr); err != nil {
		return nil, fmt.Errorf("0x%x: %w", addr, err)
	}
	c.pages[addr] = b
	return b, nil
}

// textAt returns the bytes from addr to the first NUL byte. ended is false if the first limit bytes have none. If the
// end cannot be read, it returns the bytes before that with the error.
func textAt(s source, addr uint64, limit int) (text string, ended bool, err error) {
	var out []byte
	for len(out) < limit {
		n := min(limit-len(out), int(pageSize-addr%pageSize)) // the next page may not be mapped
		b, err := s.readBytes(addr, n)
		if err != nil {
			return string(out), false, err
		}
		if end := bytes.IndexByte(b, 0); end >= 0 {
			return string(append(out, b[:end]...)), true, nil
		}
		out = append(out, b...)
		addr += uint64(n)
	}
	return string(out), false, nil
}

func wordAt(s source, addr uint64) (uint64, error) {
	b, err := s.readBytes(addr, pointerWidth)
	if err != nil {
		return 0, err
	}
	return le.Uint64(b), nil
}

func int32At(s source, addr uint64) (int32, error) {
	b, err := s.readBytes(addr, 4)
	if err != nil {
		return 0, err
	}
	return int32(le.Uint32(b)), nil
}
