package llvm

import (
	"fmt"
	"math"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// functions takes the functions of a module. Their values stand in the file
// behind everything else, in the same order.
func (m *rawModule) functions() error {
	for i := range m.h.records {
		record := m.data[i*m.l.size : (i+1)*m.l.size]
		m.f.clear()
		if err := m.count(i, record); err != nil {
			return m.malformed(m.recordAt(i), "%v", err)
		}
		if err := m.values(i, record); err != nil {
			return err
		}
		if err := m.takeFunction(i, record); err != nil {
			return err
		}
	}
	return nil
}

// recordAt is the offset of the data of function i.
func (m *rawModule) recordAt(i uint64) int64 { return m.dataAt + int64(i*m.l.size) }

// count takes counters and bitmap of function i. The error says what is wrong.
func (m *rawModule) count(i uint64, record []byte) error {
	number, size := uint64(m.machine.u32(record[m.l.numCounters:])), m.h.counterSize()
	stamps := m.h.stampCounters()
	if number == 0 || number < stamps {
		return fmt.Errorf("a function of %d counters", number)
	}
	b, err := m.located(m.counters, i, record[m.l.counters:], m.h.countersDelta, number*size)
	if err == nil {
		err = m.claim(number * size)
	}
	if err != nil {
		return fmt.Errorf("counters: %w", err)
	}
	if stamps > 0 {
		m.stamp(m.machine.u64(b), m.machine.u64(record))
		b = b[8:]
	}
	m.f.counters(b, m.machine.order, size)
	return m.bits(i, record)
}

// maxClaims is how many times over functions may claim the counters of their
// module. Each has its own, but for copies of an inline function that a linker
// did not fold.
const maxClaims = 16

// claim counts bytes that a function claims: if all of many claimed all that
// there are, the work would grow with the square of the file.
func (m *rawModule) claim(size uint64) error {
	m.claimed += size
	if all := uint64(len(m.counters) + len(m.bitmap)); m.claimed > maxClaims*all {
		return fmt.Errorf("functions claim them more than %d times over", maxClaims)
	}
	return nil
}

// counters takes counters of that size. Those of one byte are 0 where the code ran.
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

// stamp notes when a function was called first, if it was.
func (m *rawModule) stamp(when, function uint64) {
	if when != 0 && when != math.MaxUint64 {
		m.stamps = append(m.stamps, stamp{when, function})
	}
}

// bits takes the bitmap of function i.
func (m *rawModule) bits(i uint64, record []byte) error {
	if m.h.version < rawBitmaps {
		return nil
	}
	number := uint64(m.machine.u32(record[m.l.numBitmap:]))
	if number == 0 {
		return nil
	}
	b, err := m.located(m.bitmap, i, record[m.l.bitmap:], m.h.bitmapDelta, number)
	if err == nil {
		err = m.claim(number)
	}
	if err != nil {
		return fmt.Errorf("bitmap: %w", err)
	}
	m.f.bitmap = b
	return nil
}

// located gives the part of a section that record i points at. From version 8
// on the pointer is relative to the record, and delta to the first.
func (m *rawModule) located(section []byte, i uint64, pointer []byte, delta, size uint64) ([]byte, error) {
	if m.h.version >= rawRelative {
		delta -= i * m.l.size
	}
	at := m.h.wrap(m.machine.word(pointer) - delta)
	if at > uint64(len(section)) || size > uint64(len(section))-at {
		return nil, fmt.Errorf("%d bytes at 0x%x of a section of 0x%x", size, at, len(section))
	}
	return section[at : at+size : at+size], nil
}

// values takes the values of function i, if it has sites.
func (m *rawModule) values(i uint64, record []byte) error {
	var sites [valueKindsKnown]int
	all := 0
	for kind := range m.l.kinds {
		sites[kind] = int(m.machine.u16(record[m.l.sites+2*kind:]))
		all += sites[kind]
	}
	if all == 0 {
		return nil
	}
	at := m.offset()
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
	m.remap()
	return nil
}

// remap turns addresses of the process into NameRefs.
func (m *rawModule) remap() {
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

// placeFunctions notes where the functions of the module are.
func (m *rawModule) placeFunctions() {
	m.places.functions = make([]rawPlace, 0, m.h.records)
	for b := m.data; len(b) > 0; b = b[m.l.size:] {
		if address := m.machine.word(b[m.l.function:]); address != 0 {
			m.places.functions = append(m.places.functions, rawPlace{address, m.machine.u64(b)})
		}
	}
	m.places.sort()
}

// takeFunction takes the function of a record. Two functions of one name may
// have the same hash: they are merged, as those of two modules.
func (m *rawModule) takeFunction(i uint64, record []byte) error {
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
	return m.take(&m.f, m.recordAt(i))
}
