package llvm

import (
	"fmt"

	"github.com/profarc/profarc/internal/disk"
)

// A rawModule is a program or library of the process. Its names and values
// stand behind its counters, so that these are kept until it is read.
type rawModule struct {
	*rawScan
	h                      rawHeader
	l                      rawLayout
	data, counters, bitmap []byte
	dataAt                 int64  // offset of the data
	claimed                uint64 // bytes of counters and bitmaps, by all functions
	names                  *nameIndex
	places                 rawPlaces
}

// read reads the sections of a module, and takes its functions.
func (m *rawModule) read() error {
	if err := m.begin(heading{kind: KindRaw, version: m.h.version, made: m.h.made(), newest: m.h.newest(), variant: m.h.variant}); err != nil {
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
	return m.functions()
}

func (m *rawModule) readBinaryIDs() error {
	at := m.offset()
	b, ok := m.section(m.h.binaryIDs)
	if !ok {
		return m.cut("the binary ids")
	}
	if err := m.takeBinaryIDs(b, m.machine.order); err != nil {
		return m.malformed(at, "%v", err)
	}
	return nil
}

func (m *rawModule) readData() (err error) {
	m.dataAt = m.offset()
	m.data, err = m.between(m.h.records*m.l.size, m.h.beforeCounters, "the data of functions")
	return err
}

// readCounters reads counters and bitmaps.
func (m *rawModule) readCounters() (err error) {
	if m.counters, err = m.between(m.h.counters*m.h.counterSize(), m.h.afterCounters, "the counters"); err != nil {
		return err
	}
	if m.bitmap, err = m.between(m.h.bitmap, m.h.afterBitmap, "the bitmaps"); err != nil {
		return err
	}
	if !m.skip(8*m.h.uniform) || !m.skip(m.h.afterUniform) {
		return m.cut("the uniform counters")
	}
	return nil
}

// between takes a section and the padding behind it.
func (m *rawModule) between(size, padding uint64, what string) ([]byte, error) {
	b, ok := m.section(size)
	if !ok {
		return nil, m.cut(what)
	}
	if !m.skip(padding) {
		return nil, m.cut("the padding behind " + what)
	}
	return b, nil
}

// padding is what it takes to make a size a multiple of 8.
func padding(size uint64) uint64 { return -size % disk.Unit }

func (m *rawModule) readNames() error {
	names, err := m.nameSection(m.h.names, "the names")
	m.names = newNameIndex(names)
	return err
}

// nameSection takes the names of a section of that size.
func (m *rawModule) nameSection(size uint64, what string) (names []string, err error) {
	at := m.offset()
	b, err := m.between(size, padding(size), what)
	if err != nil {
		return nil, err
	}
	if names, err = splitNames(b); err != nil {
		return nil, m.malformed(at, "%s: %v", what, err)
	}
	return names, nil
}

// readVTables reads where vtables are, and their names.
func (m *rawModule) readVTables() error {
	at, size := m.offset(), m.h.vtableSize()
	b, err := m.between(m.h.vtables*size, padding(m.h.vtables*size), "the vtables")
	if err != nil {
		return err
	}
	for ; uint64(len(b)) >= size; b = b[size:] {
		v := rawVTable{name: m.machine.u64(b), address: m.machine.word(b[8:]), size: uint64(m.machine.u32(b[8+m.h.pointer:]))}
		m.places.vtables = append(m.places.vtables, v)
	}
	names, err := m.nameSection(m.h.vtableNames, "the names of vtables")
	if err != nil {
		return err
	}
	if err := possibleNames(names); err != nil {
		return m.malformed(at, "%v", err)
	}
	m.takeVTables(newNameIndex(names))
	return nil
}

// takeVTables takes all vtables that have a name; those without a place, too.
func (m *rawModule) takeVTables(names *nameIndex) {
	for _, v := range m.places.vtables {
		if i, ok := names.find(v.name); ok {
			m.vtable(names.names[i], v.address, v.size)
		}
	}
	for _, name := range names.names {
		m.vtable(name, 0, 0)
	}
}

// takeBinaryIDs takes { u64 length, bytes, zeros }.
func (in *intake) takeBinaryIDs(b []byte, o order) error {
	for len(b) >= 8 {
		n := o.u64(b)
		b = b[8:]
		if n == 0 || n > uint64(len(b)) {
			return fmt.Errorf("a binary id of %d bytes, where %d are left", n, len(b))
		}
		in.binaryID(b[:n])
		b = b[min(uint64(len(b)), n+padding(n)):]
	}
	if len(b) > 0 {
		return fmt.Errorf("%d bytes behind the last binary id", len(b))
	}
	return nil
}
