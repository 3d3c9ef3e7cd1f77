package live

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/profarc/profarc/internal/system/compartment"
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

// The memory of a process may be forged: a list may lead anywhere, and the same bytes may appear as any number of
// structures. But the structures of a real JVM do not overlap, so in total they are no larger than the memory that
// the process holds. Every budget is a multiple of the memory size.

// A Budget is a resource that reading a process consumes.
type Budget string

// The budgets of one reading.
const (
	BudgetRead       Budget = "bytes of memory"     // copied from the process
	BudgetStructures Budget = "bytes of structures" // VM structures reached through lists, each counted once
	BudgetNames      Budget = "bytes of names"      // names of methods and classes, counted at each use
	BudgetSteps      Budget = "steps"               // number of reads
	BudgetTime       Budget = "nanoseconds"
	BudgetStall      Budget = "nanoseconds without progress"
)

// A BudgetError reports that reading a process took more than a JVM of its size can need. It matches ErrBudget.
type BudgetError struct {
	Budget Budget
	Limit  int64 // unit: see Budget
	Held   int64 // bytes of memory that the process holds
}

func (e *BudgetError) Error() string {
	limit := fmt.Sprintf("%d %s", e.Limit, e.Budget)
	if rest, isTime := strings.CutPrefix(string(e.Budget), string(BudgetTime)); isTime {
		limit = time.Duration(e.Limit).String() + rest
	}
	return fmt.Sprintf("reading it takes more than %s, and it holds no more than %d bytes of memory: %v", limit,
		e.Held, ErrBudget)
}

func (e *BudgetError) Is(target error) bool { return target == ErrBudget }

var ErrBudget = errors.New("no JVM of its size needs as much")

const (
	// mappedFileBytes allows for mapped pages that the process has not touched yet, as of the JDK's own archive.
	mappedFileBytes = 16 << 20
	// maxHeld limits the memory size on which budgets are based. No VM has more profiles.
	maxHeld = 4 << 30
	// A page is read with its neighbors up to three times: while the process runs, while it is held, for names.
	readFactor  = 6
	namesFactor = 4
	stepBytes   = 8 // structures have at least one pointer per step
	// timeBase and timeSpeed limit the time without progress, since a read may block, as for pages on a slow disk. A busy
	// machine may take many times as long for everything.
	timeBase   = 20 * time.Second
	timeSpeed  = 64 << 20 // bytes per second
	timeFactor = 16       // limit of the whole time, as a multiple
)

type meter struct {
	ctx                context.Context
	held               int64
	read, names, steps allowance
	progress           atomic.Int64 // number of polls
	// end is the reason why all reading must stop: the end of the context or of a budget.
	end error
}

func newMeter(ctx context.Context, held int64) *meter {
	m := &meter{ctx: ctx, held: held}
	m.read = m.newAllowance(BudgetRead, readFactor*m.memoryBasis())
	m.names = m.newAllowance(BudgetNames, namesFactor*m.memoryBasis())
	m.steps = m.newAllowance(BudgetSteps, m.memoryBasis()/stepBytes)
	return m
}

func (m *meter) memoryBasis() int64 { return min(m.held, maxHeld) + mappedFileBytes }

func (m *meter) structureBudget() *allowance {
	a := m.newAllowance(BudgetStructures, m.memoryBasis())
	return &a
}

func (m *meter) newAllowance(b Budget, limit int64) allowance { return allowance{m, b, limit, limit} }

type allowance struct {
	meter       *meter
	budget      Budget
	limit, left int64
}

// Bytes that the reader keeps in addition to the structures. They count as well, so that a huge number of small
// structures cannot take much memory.
const (
	spanBytes = 32 // address and size of a structure
	keptBytes = 96 // data of a class, a class loader or a method with a profile
)

// spendUnits consumes n units. It fails once reading has ended for any reason.
func (a *allowance) spendUnits(n int) error {
	if a.left -= int64(n); a.meter.end == nil && (a.left < 0 || n < 0) {
		a.meter.end = &BudgetError{a.budget, a.limit, a.meter.held}
	}
	return a.meter.end
}

// pollSteps is the number of steps between checks of the context.
const pollSteps = 256

func (m *meter) countStep() error {
	if m.steps.left%pollSteps == 0 && m.end == nil {
		m.progress.Add(1)
		if m.ctx.Err() != nil {
			m.end = context.Cause(m.ctx)
		}
	}
	return m.steps.spendUnits(1)
}

func readLimited[T any](ctx context.Context, p target, doing func() string, read func(m *meter) (T, error)) (T, error) {
	held := p.heldBytes()
	limit := timeBase + time.Duration(min(held, maxHeld)/timeSpeed)*time.Second
	ctx, stop := context.WithTimeoutCause(ctx, timeFactor*limit, &BudgetError{BudgetTime, int64(timeFactor * limit), held})
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m := newMeter(ctx, held)
	go m.cancelStalled(limit, cancel)
	return compartment.RunUntil(ctx, doing, func() (T, error) { return read(m) })
}

// cancelStalled cancels a reading that makes no progress for a time. It returns when the reading ends.
func (m *meter) cancelStalled(limit time.Duration, cancel context.CancelCauseFunc) {
	timer := time.NewTicker(limit)
	defer timer.Stop()
	for last := int64(-1); ; {
		select {
		case <-m.ctx.Done():
			return
		case <-timer.C:
		}
		now := m.progress.Load()
		if now == last {
			cancel(&BudgetError{BudgetStall, int64(limit), m.held})
			return
		}
		last = now
	}
}
