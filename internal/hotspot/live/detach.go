package live

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/system/procfs"
)

// At its exit a process is held only while its memory is copied. Slow work on names, sketches and the archive follows
// after its release. The copy has the pages that a dump will read: everything on the way to the profiles, and their
// names. An unneeded page costs little time, and a missing one would cost a name.

// Detach copies the memory that a dump needs from the process, which must be stopped. The VM can then be dumped even
// if the process has ended, but methods with neither a profile nor compiled code have no names. After an error, which
// matches ErrTooLarge if the copy would be too large, the VM is unchanged.
func (vm *VM) Detach(ctx context.Context) error {
	vm.Provenance(ctx)
	doing := func() string { return "copy the profiles of a JVM" }
	var compilations []compilation
	var found agents
	copied, err := readLimited(ctx, vm.p, doing, func(m *meter) (*copiedProcess, error) {
		c := newCollector(vm, m)
		var err error
		found, err = vm.findAgents(m)
		if err == nil {
			err = c.copyPages(found)
		}
		if err != nil {
			return nil, vm.endReason(m, err)
		}
		if !vm.p.isAlive() { // the last reads may have failed
			return nil, ErrGone
		}
		compilations = c.compilations
		return &copiedProcess{pageTable: c.mem.pages, bytes: vm.p.heldBytes(), of: vm.p}, nil
	})
	if err != nil {
		return vm.p.addProcess(err)
	}
	vm.p, vm.detached, vm.agents = copied, compilations, &found
	return nil
}

// OwnFiles reports whether the process has its own files, as in a container. They can be read only while it lives.
func (vm *VM) OwnFiles(ctx context.Context) bool {
	vm.Provenance(ctx)
	return vm.run.origin.root != ""
}

type copiedProcess struct {
	pageTable
	bytes int64
	of    target
}

func (c *copiedProcess) isAlive() bool              { return true }
func (c *copiedProcess) isGone() bool               { return false }
func (c *copiedProcess) heldBytes() int64           { return c.bytes }
func (c *copiedProcess) addProcess(err error) error { return c.of.addProcess(err) }

// holdWhile has nothing to hold, since a copy does not change.
func (c *copiedProcess) holdWhile(use func(h *holding) error) error { return use(&holding{}) }

func (c *copiedProcess) mappings(context.Context) iter.Seq2[procfs.Mapping, error] {
	return func(func(procfs.Mapping, error) bool) {}
}

const (
	// copiedReadSize is the number of bytes that a copy reads at once. The structures of a VM are close together, and
	// few large reads are faster than many small ones.
	copiedReadSize = 16 * pageSize
	// copiedBufferSize is the size of each memory allocation of a copy.
	copiedBufferSize = 4 << 20
	// maxCopiedPages limits the pages of a copy to 64 MB, twice the profiles of the largest measured JVM.
	maxCopiedPages = 1 << 14
)

type collector struct {
	vm     *VM
	s      *schema
	mem    *pageCache
	budget *allowance
	pools  map[uint64]bool
	shape  disk.Shape

	compilations []compilation
}

func newCollector(vm *VM, m *meter) *collector {
	c := &collector{vm: vm, s: vm.schema, mem: newPageCache(vm.p, m), budget: m.structureBudget(),
		pools: map[uint64]bool{}}
	c.mem.readSize, c.mem.maxPages, c.mem.fullError = copiedReadSize, maxCopiedPages, ErrTooLarge
	var room []byte
	c.mem.newBuffer = func(n int) []byte {
		if len(room) < n {
			room = largePages(make([]byte, copiedBufferSize))
		}
		b := room[:n:n]
		room = room[n:]
		return b
	}
	return c
}

// ErrTooLarge is the error if a copy would take more than 64 MB. The JVM can be dumped while it is stopped.
var ErrTooLarge = errors.New("its profiles are too large for a copy")

// copyPages copies all pages. Unreadable structures are ignored here, and the dump counts them.
func (c *collector) copyPages(of agents) error {
	params, err := c.vm.shapingParams(c.mem)
	if err != nil {
		return err
	}
	c.shape = disk.ShapeOfParams(&params)
	for _, f := range c.vm.flags {
		f.readValue(c.mem)
	}
	m := c.mem.meter
	methodArray := func(addr uint64) ([]uint64, error) { return c.s.methodArray(c.mem, addr) }
	w := newWalker(c.s, c.mem, m, methodArray)
	w.code = direct{c.vm.p, m}
	w.agents = of
	snap, err := w.walkLoaders()
	if err != nil {
		return err
	}
	newNamer(c.s, c.mem, m).loaderNames(snap)
	for _, k := range snap.klasses {
		c.copySymbol(k.name)
	}
	for i := range snap.methods {
		c.copyMethod(&snap.methods[i])
	}
	c.copyCompiledNames(snap)
	return m.end
}

// A direct source keeps none of the bytes it reads. It is for the beginnings of blocks in the code cache.
type direct struct {
	mem   memory
	meter *meter
}

func (d direct) readBytes(addr uint64, n int) ([]byte, error) {
	if err := d.meter.countStep(); err != nil {
		return nil, err
	}
	return d.meter.readCounted(d.mem, addr, n)
}

func (m *meter) readCounted(mem memory, addr uint64, n int) ([]byte, error) {
	if n < 0 || n > maxRead {
		return nil, fmt.Errorf("%w: a read of %d bytes at 0x%x", ErrStructure, n, addr)
	}
	if err := m.read.spendUnits(n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	if err := mem.readAt(b, addr); err != nil {
		return nil, fmt.Errorf("0x%x: %w", addr, err)
	}
	return b, nil
}

func (c *collector) copyCompiledNames(snap *snapshot) {
	c.compilations = snap.code
	compiled := snap.compiledMethods()
	for i := range snap.unprofiled {
		if m := &snap.unprofiled[i]; compiled[m.addr] {
			c.copyConstMethod(m.constMethod)
		}
	}
}

func (c *collector) mayRead(size int) bool { return c.budget.spendUnits(size) == nil }

func (c *collector) copySymbol(addr uint64) {
	if b, err := c.mem.readBytes(addr+c.s.symbol.length, shortWidth); err == nil {
		_ = c.mem.loadPages(addr+c.s.symbol.body, int(le.Uint16(b)))
	}
}

func (c *collector) copyMethod(m *methodData) {
	c.copyConstMethod(m.constMethod)
	if m.refused != nil {
		return
	}
	if parts, err := c.s.data.splitSections(m.data); err == nil {
		c.copyExtraMethods(parts[disk.SectionExtra])
	}
}

func (c *collector) copyExtraMethods(part []byte) {
	for len(part) >= disk.CellSize {
		if le.Uint64(part) == freeTag {
			part = part[disk.CellSize:]
			continue
		}
		e, rest, err := c.shape.NextEntry(part)
		if err != nil {
			return
		}
		for cell, kind := range c.shape.Pointers(e) {
			if addr := e.Cell(cell); kind == disk.CellMethod && addr != 0 {
				if at, err := wordAt(c.mem, addr+c.s.method.constMethod); err == nil {
					c.copyConstMethod(at)
				}
			}
		}
		part = rest
	}
}

func (c *collector) copyConstMethod(addr uint64) {
	s := &c.s.constMethod
	b, err := c.mem.readBytes(addr, s.size)
	if err != nil {
		return
	}
	size := int(le.Uint16(b[s.codeSize:]))
	if !c.mayRead(s.size+size) || c.mem.loadPages(addr+uint64(s.size), size) != nil {
		return
	}
	pool := le.Uint64(b[s.constants:])
	for _, at := range []uint64{s.name, s.signature} {
		if symbol, err := wordAt(c.mem, c.constantAddress(pool, le.Uint16(b[at:]))); err == nil {
			c.copySymbol(symbol)
		}
	}
	if !c.pools[pool] {
		c.pools[pool] = true
		c.copyConstantPool(pool)
	}
}

func (c *collector) constantAddress(pool uint64, i uint16) uint64 {
	return pool + uint64(c.s.pool.size) + pointerWidth*uint64(i)
}

func (c *collector) copyConstantPool(addr uint64) {
	n, err := int32At(c.mem, addr+c.s.pool.length)
	if err != nil || n < 0 || n > maxConstants || !c.mayRead(int(n)*pointerWidth) {
		return
	}
	slots, err := c.mem.readBytes(c.constantAddress(addr, 0), int(n)*pointerWidth)
	if err != nil || c.mem.loadPages(addr, c.s.pool.size) != nil || !c.s.namesReadable {
		return
	}
	at, err := wordAt(c.mem, addr+c.s.constants.tags)
	if err != nil {
		return
	}
	tags, err := c.mem.readBytes(at+c.s.constants.bytes, int(n))
	if err != nil {
		return
	}
	for i, tag := range tags {
		if tag == classfile.TagUtf8 || tag == classfile.TagString { // its word is the address of a Symbol
			c.copySymbol(le.Uint64(slots[pointerWidth*i:]))
		}
	}
	if cache, err := wordAt(c.mem, addr+c.s.constants.cache); err == nil && cache != 0 {
		c.copyPoolCache(cache)
	}
}

func (c *collector) copyPoolCache(addr uint64) {
	s := &c.s.constants
	c.copyArray(addr+s.references, s.words, shortWidth)
	for _, r := range []*resolvedSchema{&s.fields, &s.methods, &s.dynamic} {
		if r.array != 0 {
			c.copyArray(addr+r.array, r.data, int(r.size))
		}
	}
	if s.entrySize == 0 || s.length == 0 {
		return
	}
	if n, err := int32At(c.mem, addr+s.length); err == nil && n >= 0 && n <= maxConstants {
		_ = c.mem.loadPages(addr+s.entries, int(n)*int(s.entrySize))
	}
}

func (c *collector) copyArray(field, data uint64, size int) {
	at, err := wordAt(c.mem, field)
	if err != nil || at == 0 {
		return
	}
	if n, err := int32At(c.mem, at+c.s.array.length); err == nil && n >= 0 && n <= maxConstants {
		_ = c.mem.loadPages(at+data, int(n)*size)
	}
}
