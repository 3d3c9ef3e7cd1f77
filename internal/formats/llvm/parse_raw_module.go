package llvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A rawModule is a program or library of the process. Its names and values follow its
// counters, which are therefore kept in memory.
type rawModule struct {
	*rawScan
	h                      rawHeader
	l                      rawLayout
	data, counters, bitmap []byte
	dataAt                 int64  // offset of the data
	claimed                uint64 // bytes of counters and bitmaps, by all functions
	names                  *nameIndex
	places                 rawPlaces
	ids                    [][]byte                     // binary ids
	find                   func() (*correlation, error) // reads the program; nil if the module has all of its functions
}

// readModule reads the sections of a module and adds its functions.
func (m *rawModule) readModule() error {
	if err := m.beginModule(heading{kind: KindRaw, version: m.h.version, made: m.h.indexedVersion(),
		newest: m.h.newestIndexedVersion(), variant: m.h.variant &^ VariantCorrelated}); err != nil {
		return err
	}
	if m.h.uniform > 0 {
		m.report.Lost.Add(LossUniform, int(m.h.uniform))
	}
	for _, section := range []func() error{m.readBinaryIDs, m.readData, m.readCounters, m.readNames, m.readVTables} {
		if err := section(); err != nil {
			return err
		}
	}
	if m.find != nil {
		if err := m.correlate(); err != nil {
			return err
		}
	}
	return m.readFunctions()
}

func (m *rawModule) readBinaryIDs() error {
	at := m.offset
	b, ok := m.readSection(m.h.binaryIDs)
	if !ok {
		return m.cut("the binary ids")
	}
	ids, err := splitBinaryIDs(b, m.machine.order)
	if err != nil {
		return m.malformed(at, "%v", err)
	}
	m.ids = ids
	if m.forgetsBinaryIDs() {
		m.lastIDs = ids
		return nil
	}
	m.addBinaryIDs(ids)
	return nil
}

// forgetsBinaryIDs reports whether the file is merged as LLVM 16 does, which keeps the
// binary ids of the last module alone. Later releases keep all.
func (m *rawModule) forgetsBinaryIDs() bool {
	return m.o.Run.AsLLVM && m.report.Params.LLVMVersion == sinceBinaryIDs
}

func (m *rawModule) readData() (err error) {
	m.dataAt = m.offset
	m.data, err = m.readPadded(m.h.records*m.l.size, m.h.beforeCounters, "the data of functions")
	return err
}

// readCounters reads counters and bitmaps.
func (m *rawModule) readCounters() (err error) {
	m.counters, err = m.readPadded(m.h.counters*m.h.counterSize(), m.h.afterCounters, "the counters")
	if err != nil {
		return err
	}
	m.bitmap, err = m.readPadded(m.h.bitmap, m.h.afterBitmap, "the bitmaps")
	if err != nil {
		return err
	}
	if !m.skip(8*m.h.uniform) || !m.skip(m.h.afterUniform) {
		return m.cut("the uniform counters")
	}
	return nil
}

// readPadded reads a section and the padding after it.
func (m *rawModule) readPadded(size, padding uint64, what string) ([]byte, error) {
	b, ok := m.readSection(size)
	if !ok {
		return nil, m.cut(what)
	}
	if !m.skip(padding) {
		return nil, m.cut("the padding after " + what)
	}
	return b, nil
}

// padding returns the number of bytes from size to the next multiple of 8.
func padding(size uint64) uint64 { return -size % disk.Unit }

func (m *rawModule) readNames() error {
	names, err := m.nameSection(m.h.names, "the names")
	m.names = newNameIndex(names)
	return err
}

// nameSection reads a section of names of that size.
func (m *rawModule) nameSection(size uint64, what string) (names []string, err error) {
	at := m.offset
	b, err := m.readPadded(size, padding(size), what)
	if err != nil {
		return nil, err
	}
	names, err = SplitNames(b)
	if err != nil {
		return nil, m.malformed(at, "%s: %v", what, err)
	}
	return names, nil
}

// readVTables reads the places and names of vtables.
func (m *rawModule) readVTables() error {
	at := m.offset
	size := m.h.vtableSize()
	b, err := m.readPadded(m.h.vtables*size, padding(m.h.vtables*size), "the vtables")
	if err != nil {
		return err
	}
	for ; uint64(len(b)) >= size; b = b[size:] {
		v := rawVTable{name: m.machine.u64(b), address: m.machine.readPointer(b[8:]),
			size: uint64(m.machine.u32(b[8+m.h.pointer:]))}
		m.places.vtables = append(m.places.vtables, v)
	}
	names, err := m.nameSection(m.h.vtableNames, "the names of vtables")
	if err != nil {
		return err
	}
	if err := checkNames(names); err != nil {
		return m.malformed(at, "%v", err)
	}
	m.addVTables(newNameIndex(names))
	return nil
}

// addVTables adds all vtables that have a name, whether their place is known or not.
func (m *rawModule) addVTables(names *nameIndex) {
	for _, v := range m.places.vtables {
		if i, ok := names.find(v.name); ok {
			m.addVTable(names.names[i], v.address, v.size)
		}
	}
	for _, name := range names.names {
		m.addVTable(name, 0, 0)
	}
}

// splitBinaryIDs returns the ids of { u64 length, bytes, zeros }.
func splitBinaryIDs(b []byte, o order) (ids [][]byte, err error) {
	for len(b) >= 8 {
		n := o.u64(b)
		b = b[8:]
		if n == 0 || n > uint64(len(b)) {
			return nil, fmt.Errorf("a binary id of %d bytes, where %d are left", n, len(b))
		}
		ids = append(ids, b[:n])
		b = b[min(uint64(len(b)), n+padding(n)):]
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%d bytes after the last binary id", len(b))
	}
	return ids, nil
}

// rawPlaces maps addresses of the process to functions and vtables.
type rawPlaces struct {
	functions []rawPlace
	vtables   []rawVTable
	sorted    bool
}

// A rawPlace is the address of a function, and its NameRef.
type rawPlace struct{ address, name uint64 }

// A rawVTable is the place of a vtable, and the NameRef of its name.
type rawVTable struct{ name, address, size uint64 }

func (p *rawPlaces) sort() {
	slices.SortFunc(p.functions, func(a, b rawPlace) int {
		return cmp.Or(cmp.Compare(a.address, b.address), cmp.Compare(a.name, b.name))
	})
	slices.SortFunc(p.vtables, func(a, b rawVTable) int { return cmp.Compare(a.address, b.address) })
	p.sorted = true
}

// function returns the NameRef of the function at an address, 0 if there is none.
func (p *rawPlaces) function(address uint64) uint64 {
	i, ok := slices.BinarySearchFunc(p.functions, address,
		func(f rawPlace, a uint64) int { return cmp.Compare(f.address, a) })
	if !ok {
		return 0
	}
	return p.functions[i].name
}

// vtable returns the NameRef of the vtable that an address points into or just after, 0 if there is none.
func (p *rawPlaces) vtable(address uint64) uint64 {
	i, _ := slices.BinarySearchFunc(p.vtables, address, func(v rawVTable, a uint64) int {
		if v.address <= a {
			return -1
		}
		return 1
	})
	if i == 0 || address-p.vtables[i-1].address > p.vtables[i-1].size {
		return 0
	}
	return p.vtables[i-1].name
}

// readFunctions adds the functions of a module. Their values come last in the file, in the same order.
func (m *rawModule) readFunctions() error {
	for i := range m.h.records {
		record := m.data[i*m.l.size : (i+1)*m.l.size]
		m.f.clear()
		if err := m.readCounts(i, record); err != nil {
			return m.malformed(m.recordAt(i), "%v", err)
		}
		if err := m.readValues(i, record); err != nil {
			return err
		}
		if err := m.addRecord(i, record); err != nil {
			return err
		}
	}
	return nil
}

// recordAt returns the offset of the data of function i.
func (m *rawModule) recordAt(i uint64) int64 { return m.dataAt + int64(i*m.l.size) }

// readCounts decodes the counters and the bitmap of function i. The error has no place.
func (m *rawModule) readCounts(i uint64, record []byte) error {
	number := uint64(m.machine.u32(record[m.l.numCounters:]))
	size := m.h.counterSize()
	stamps := m.h.stampCounters()
	if number == 0 || number < stamps {
		return fmt.Errorf("a function of %d counters", number)
	}
	b, err := m.sectionAt(m.counters, i, record[m.l.counters:], m.h.countersDelta, number*size)
	if err == nil {
		err = m.claimBytes(number * size)
	}
	if err != nil {
		return fmt.Errorf("counters: %w", err)
	}
	if stamps > 0 {
		m.addTimestamp(m.machine.u64(b), m.machine.u64(record))
		b = b[8:]
	}
	m.f.counters(b, m.machine.order, size)
	return m.readBitmap(i, record)
}

// maxClaims is how often the counters of a module may be used. Each function has its
// own counters, except for copies of an inline function that a linker did not fold.
const maxClaims = 16

// claimBytes counts the bytes that functions use. Without a limit a crafted file in
// which every function uses all counters would take quadratic time.
func (m *rawModule) claimBytes(size uint64) error {
	m.claimed += size
	if all := uint64(len(m.counters) + len(m.bitmap)); m.claimed > maxClaims*all {
		return fmt.Errorf("functions claim them more than %d times over", maxClaims)
	}
	return nil
}

// counters decodes counters of that size. A counter of one byte is 0 if the code ran.
func (f *function) counters(b []byte, o order, size uint64) {
	if size == 1 {
		for _, c := range b {
			n := uint64(0)
			if c == 0 {
				n = 1
			}
			f.counts = append(f.counts, n)
		}
		return
	}
	for ; len(b) >= 8; b = b[8:] {
		f.counts = append(f.counts, o.u64(b))
	}
}

// addTimestamp adds the time of the first call of a function, if it was called.
func (m *rawModule) addTimestamp(when, function uint64) {
	if when != 0 && when != math.MaxUint64 {
		m.stamps = append(m.stamps, stamp{when, function})
	}
}

// readBitmap decodes the bitmap of function i.
func (m *rawModule) readBitmap(i uint64, record []byte) error {
	if m.h.version < rawBitmaps {
		return nil
	}
	number := uint64(m.machine.u32(record[m.l.numBitmap:]))
	if number == 0 {
		return nil
	}
	b, err := m.sectionAt(m.bitmap, i, record[m.l.bitmap:], m.h.bitmapDelta, number)
	if err == nil {
		err = m.claimBytes(number)
	}
	if err != nil {
		return fmt.Errorf("bitmap: %w", err)
	}
	m.f.bitmap = b
	return nil
}

// sectionAt returns the part of a section that record i points at. From version 8 on
// the pointer is relative to the record, and delta to the first record.
func (m *rawModule) sectionAt(section []byte, i uint64, pointer []byte, delta, size uint64) ([]byte, error) {
	if m.h.version >= rawRelative {
		delta -= i * m.l.size
	}
	at := m.h.wrapAddress(m.machine.readPointer(pointer) - delta)
	if at > uint64(len(section)) || size > uint64(len(section))-at {
		return nil, fmt.Errorf("%d bytes at 0x%x of a section of 0x%x", size, at, len(section))
	}
	return section[at : at+size : at+size], nil
}

// readValues decodes the values of function i, if it has sites.
func (m *rawModule) readValues(i uint64, record []byte) error {
	var sites [valueKindsKnown]int
	all := 0
	for kind := range m.l.kinds {
		sites[kind] = int(m.machine.u16(record[m.l.sites+2*kind:]))
		all += sites[kind]
	}
	if all == 0 {
		return nil
	}
	at := m.offset
	head := m.peek(valueBlockHeader)
	if len(head) < valueBlockHeader {
		return m.cut("the values of a function")
	}
	size := m.machine.u32(head)
	if size < valueBlockHeader || size%disk.Unit != 0 {
		return m.malformed(at, "a block of values of %d bytes", size)
	}
	b, ok := m.next(int(size))
	if !ok {
		return m.cut("the values of a function")
	}
	if err := m.f.valueBlock(b, m.machine.order); err != nil {
		return m.malformed(at, "%v", err)
	}
	for _, s := range m.f.sites {
		sites[s.kind]--
	}
	if sites != [valueKindsKnown]int{} {
		return m.malformed(at, "another number of value sites than function %d has", i)
	}
	m.remapAddresses()
	return nil
}

// remapAddresses turns addresses of the process into NameRefs.
func (m *rawModule) remapAddresses() {
	if !m.places.sorted {
		m.placeFunctions()
	}
	start := 0
	for _, s := range m.f.sites {
		values := m.f.values[start:s.end]
		start = s.end
		for i := range values {
			switch s.kind {
			case layout.SubIndirectCall:
				values[i].Value = m.places.function(values[i].Value)
			case layout.SubVTable:
				values[i].Value = m.places.vtable(values[i].Value)
			}
		}
	}
}

// placeFunctions records the addresses of the functions of the module.
func (m *rawModule) placeFunctions() {
	m.places.functions = make([]rawPlace, 0, m.h.records)
	for b := m.data; len(b) > 0; b = b[m.l.size:] {
		if address := m.machine.readPointer(b[m.l.function:]); address != 0 {
			m.places.functions = append(m.places.functions, rawPlace{address, m.machine.u64(b)})
		}
	}
	m.places.sort()
}

// addRecord adds the function of a record. Two functions of one name and hash are
// merged, as profiles of two modules are.
func (m *rawModule) addRecord(i uint64, record []byte) error {
	name, ok := m.names.find(m.machine.u64(record))
	if !ok {
		m.report.Lost.Add(LossUnnamed, 1)
		return nil
	}
	if m.names.used[name] {
		if err := m.nextRun(); err != nil {
			return err
		}
	}
	m.names.used[name] = true
	m.f.name = append(m.f.name[:0], m.names.names[name]...)
	m.f.hash = m.machine.u64(record[8:])
	return m.addFunctionAt(&m.f, m.recordAt(i))
}
