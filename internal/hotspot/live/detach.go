package live

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/procfs"
)

// A process that is stopped at its exit is held for as long as its memory is copied. What
// takes time, names, sketches and the archive, comes when it has gone. The copy has the
// pages that a dump will read: everything that leads to profiles, and what names these.
// A page too many costs a little time, and one too few would cost a name.

// Detach copies what a dump needs of the process, which must be stopped. The VM can be dumped afterwards
// whatever becomes of the process. Methods that have neither a profile nor compiled code have no names then.
// After an error, which matches ErrTooLarge if the copy would be too large, the VM is unchanged.
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
			err = c.collect(found)
		}
		if err != nil {
			return nil, vm.ended(m, err)
		}
		if !vm.p.alive() { // the last reads may have failed
			return nil, ErrGone
		}
		compilations = c.compilations
		return &copiedProcess{pageTable: c.mem.pages, bytes: vm.p.held(), of: vm.p}, nil
	})
	if err != nil {
		return vm.p.named(err)
	}
	vm.p, vm.detached, vm.agents = copied, compilations, &found
	return nil
}

// OwnFiles reports whether the process has files of its own, as in a container: they can
// be read only as long as it lives.
func (vm *VM) OwnFiles(ctx context.Context) bool {
	vm.Provenance(ctx)
	return vm.run.origin.root != ""
}

// A copiedProcess is a copy of some memory of a process, which need not exist any more.
type copiedProcess struct {
	pageTable
	bytes int64
	of    target
}

func (c *copiedProcess) alive() bool           { return true }
func (c *copiedProcess) gone() bool            { return false }
func (c *copiedProcess) held() int64           { return c.bytes }
func (c *copiedProcess) named(err error) error { return c.of.named(err) }

// hold has nothing to hold: a copy does not change.
func (c *copiedProcess) hold(use func(h *holding) error) error { return use(&holding{}) }

func (c *copiedProcess) mappings(context.Context) iter.Seq2[procfs.Mapping, error] {
	return func(func(procfs.Mapping, error) bool) {}
}

const (
	// copiedGroup is how many bytes a copy reads at once: the structures of a VM lie close
	// together, and few large reads take less time than many small ones.
	copiedGroup = 16 * pageSize
	// copiedRoom is how much memory a copy gets at once.
	copiedRoom = 4 << 20
	// copiedPages is the most pages that a copy has: 64 MB, for twice as many methods as
	// any JVM that was seen has profiles of.
	copiedPages = 1 << 14
)

// A collector copies the pages that a dump will read.
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
	c := &collector{vm: vm, s: vm.schema, mem: newPageCache(vm.p, m), budget: m.structures(), pools: map[uint64]bool{}}
	c.mem.group, c.mem.most, c.mem.full = copiedGroup, copiedPages, ErrTooLarge
	var room []byte
	c.mem.room = func(n int) []byte {
		if len(room) < n {
			room = largePages(make([]byte, copiedRoom))
		}
		b := room[:n:n]
		room = room[n:]
		return b
	}
	return c
}

// ErrTooLarge: a copy of what a dump needs would take more than 64 MB. The JVM can be
// dumped as long as it is stopped.
var ErrTooLarge = errors.New("its profiles are too large for a copy")

// collect reads all pages. Structures that cannot be read are left to the dump, which
// counts them.
func (c *collector) collect(of agents) error {
	params, err := c.vm.params(c.mem)
	if err != nil {
		return err
	}
	c.shape = disk.ShapeOf(&params)
	for _, f := range c.vm.flags {
		f.value(c.mem)
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
		c.symbol(k.name)
	}
	for i := range snap.methods {
		c.method(&snap.methods[i])
	}
	c.compiled(snap)
	return m.end
}

// A direct source keeps none of the bytes it reads. It is for the code cache, of which the
// beginnings of the blocks are read once: few bytes of many pages.
type direct struct {
	mem   memory
	meter *meter
}

func (d direct) bytes(addr uint64, n int) ([]byte, error) {
	if err := d.meter.countStep(); err != nil {
		return nil, err
	}
	return d.meter.fetch(d.mem, addr, n)
}

// fetch reads n bytes of a process, which count.
func (m *meter) fetch(mem memory, addr uint64, n int) ([]byte, error) {
	if n < 0 || n > maxRead {
		return nil, fmt.Errorf("%w: a read of %d bytes at 0x%x", ErrStructure, n, addr)
	}
	if err := m.read.spend(n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	if err := mem.read(b, addr); err != nil {
		return nil, fmt.Errorf("0x%x: %w", addr, err)
	}
	return b, nil
}

// compiled keeps the compilations, and copies what names methods without a profile.
func (c *collector) compiled(snap *snapshot) {
	c.compilations = snap.code
	compiled := map[uint64]bool{}
	for _, code := range snap.code {
		compiled[code.method] = true
	}
	for i := range snap.plain {
		if m := &snap.plain[i]; compiled[m.addr] {
			c.constMethod(m.constMethod)
		}
	}
}

// spend reports whether the structure may be read.
func (c *collector) spend(size int) bool { return c.budget.spend(size) == nil }

func (c *collector) symbol(addr uint64) {
	if b, err := c.mem.bytes(addr+c.s.symbol.length, shortWidth); err == nil {
		_ = c.mem.touch(addr+c.s.symbol.body, int(le.Uint16(b)))
	}
}

// method copies what names a method with a profile, and the methods in its cells.
func (c *collector) method(m *methodData) {
	c.constMethod(m.constMethod)
	if m.refused != nil {
		return
	}
	if parts, err := c.s.data.parts(m.data); err == nil {
		c.extra(parts[disk.SectionExtra])
	}
}

// extra copies what names the methods in extra entries. No others have methods.
func (c *collector) extra(part []byte) {
	for len(part) >= disk.CellSize {
		if le.Uint64(part) == freeTag {
			part = part[disk.CellSize:]
			continue
		}
		e, rest, err := c.shape.Next(part)
		if err != nil {
			return
		}
		for cell, kind := range c.shape.Pointers(e) {
			if addr := e.Cell(cell); kind == disk.CellMethod && addr != 0 {
				c.pointedTo(addr)
			}
		}
		part = rest
	}
}

func (c *collector) pointedTo(method uint64) {
	if at, err := word(c.mem, method+c.s.method.constMethod); err == nil {
		c.constMethod(at)
	}
}

// constMethod copies a ConstMethod and its constant pool.
func (c *collector) constMethod(addr uint64) {
	s := &c.s.constMethod
	b, err := c.mem.bytes(addr, s.size)
	if err != nil {
		return
	}
	size := int(le.Uint16(b[s.codeSize:]))
	if !c.spend(s.size+size) || c.mem.touch(addr+uint64(s.size), size) != nil {
		return
	}
	pool := le.Uint64(b[s.constants:])
	for _, at := range []uint64{s.name, s.signature} {
		if symbol, err := word(c.mem, c.slot(pool, le.Uint16(b[at:]))); err == nil {
			c.symbol(symbol)
		}
	}
	if !c.pools[pool] {
		c.pools[pool] = true
		c.pool(pool)
	}
}

// slot returns the address of a constant.
func (c *collector) slot(pool uint64, i uint16) uint64 {
	return pool + uint64(c.s.pool.size) + pointerWidth*uint64(i)
}

// Tags of constants whose word is the address of a Symbol.
const tagUTF8 = 1

// pool copies a constant pool with the symbols in it, which name what bytecodes use.
func (c *collector) pool(addr uint64) {
	n, err := int32At(c.mem, addr+c.s.pool.length)
	if err != nil || n < 0 || n > maxConstants || !c.spend(int(n)*pointerWidth) {
		return
	}
	slots, err := c.mem.bytes(c.slot(addr, 0), int(n)*pointerWidth)
	if err != nil || c.mem.touch(addr, c.s.pool.size) != nil || !c.s.names {
		return
	}
	at, err := word(c.mem, addr+c.s.constants.tags)
	if err != nil {
		return
	}
	tags, err := c.mem.bytes(at+c.s.constants.bytes, int(n))
	if err != nil {
		return
	}
	for i, tag := range tags {
		if tag == tagUTF8 || tag == tagString {
			c.symbol(le.Uint64(slots[pointerWidth*i:]))
		}
	}
	if cache, err := word(c.mem, addr+c.s.constants.cache); err == nil && cache != 0 {
		c.cache(cache)
	}
}

// cache copies what leads from the operands of bytecodes to constants.
func (c *collector) cache(addr uint64) {
	s := &c.s.constants
	c.array(addr+s.references, s.words, shortWidth)
	for _, r := range []*resolvedSchema{&s.fields, &s.methods, &s.dynamic} {
		if r.array != 0 {
			c.array(addr+r.array, r.data, int(r.size))
		}
	}
	if s.entrySize == 0 || s.length == 0 {
		return
	}
	if n, err := int32At(c.mem, addr+s.length); err == nil && n >= 0 && n <= maxConstants {
		_ = c.mem.touch(addr+s.entries, int(n)*int(s.entrySize))
	}
}

// array copies the array that a field points to.
func (c *collector) array(field, data uint64, size int) {
	at, err := word(c.mem, field)
	if err != nil || at == 0 {
		return
	}
	if n, err := int32At(c.mem, at+c.s.array.length); err == nil && n >= 0 && n <= maxConstants {
		_ = c.mem.touch(at+data, int(n)*size)
	}
}
