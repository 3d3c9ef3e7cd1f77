package llvm

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/disk"
)

// A rawScan reads a raw file.
type rawScan struct {
	*scan
	machine rawMachine
	stamps  []stamp // of all modules
	f       function
}

// A stamp says when a function was called for the first time.
type stamp struct{ when, function uint64 }

// raw reads a raw file, module by module.
func (s *scan) raw() error {
	r := &rawScan{scan: s}
	for first := true; ; first = false {
		m := rawModule{rawScan: r}
		more, err := m.header(first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := m.read(); err != nil {
			return err
		}
	}
	r.takeTrace()
	return nil
}

// takeTrace makes a trace of the timestamps of all modules.
func (r *rawScan) takeTrace() {
	if len(r.stamps) == 0 {
		return
	}
	slices.SortFunc(r.stamps, func(a, b stamp) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.function, b.function))
	})
	functions := make([]uint64, len(r.stamps))
	for i, s := range r.stamps {
		functions[i] = s.function
	}
	r.trace(1, functions)
	r.stream(1)
}

// header reads the header of the next module; more is false if there is none.
func (m *rawModule) header(first bool) (more bool, err error) {
	if !first && !m.another() {
		return false, m.failure()
	}
	at := m.offset()
	b, ok := m.next(16)
	if !ok {
		return false, m.cut("a header")
	}
	machine, ok := machineOf(b)
	if !ok || !first && machine != m.machine || at%disk.Unit != 0 {
		return false, m.malformed(at, "no header of a module where one must be: % x", b[:8])
	}
	m.machine, m.h.rawMachine = machine, machine
	word := machine.u64(b[8:])
	m.h.version, m.h.variant = int(uint32(word)), Variant(word>>variantShift)
	if err := m.readable(at); err != nil {
		return false, err
	}
	return true, m.headerFields()
}

// another skips the zeros between modules.
func (m *rawModule) another() bool {
	for {
		switch b := m.peek(1); {
		case len(b) == 0:
			return false
		case b[0] != 0:
			return true
		}
		m.next(1)
	}
}

// readable refuses versions and variants that cannot be read.
func (m *rawModule) readable(at int64) error {
	v := m.h.version
	switch {
	case v < RawOldest:
		return m.fault(ErrVersion, at, fmt.Sprintf("raw version %d is of an LLVM before 13: "+
			"run llvm-profdata merge of that LLVM and import the .profdata", v))
	case v > RawNewest:
		return m.fault(ErrVersion, at, fmt.Sprintf("raw version %d is newer than %d: "+
			"run llvm-profdata merge of the LLVM that compiled the program and import the .profdata", v, RawNewest))
	case m.h.variant&VariantCorrelated != 0:
		return m.fault(ErrCorrelated, at, "")
	}
	return nil
}

func (m *rawModule) headerFields() error {
	at := m.offset()
	fields := m.h.fields()
	b, ok := m.next(8 * len(fields))
	if !ok {
		return m.cut("a header")
	}
	for i, f := range fields {
		*f = m.machine.u64(b[8*i:])
	}
	if err := m.h.check(); err != nil {
		return m.malformed(at, "%v", err)
	}
	if m.h.records == 0 && m.h.counters > 0 {
		return m.fault(ErrCorrelated, at, "")
	}
	m.l = m.h.layout()
	return nil
}

// The magics of raw files, read as a big-endian word: those of little-endian
// machines begin with 0x81.
const (
	rawMagic64Little = 0x8172666f72706cff
	rawMagic32Little = 0x8152666f72706cff
	rawMagic64Big    = 0xff6c70726f667281
	rawMagic32Big    = 0xff6c70726f665281
)

// A rawMachine is what the magic tells of the machine.
type rawMachine struct {
	order
	pointer int // size in bytes
}

// machineOf gives the machine of a magic.
func machineOf(magic []byte) (m rawMachine, ok bool) {
	if len(magic) < 8 {
		return m, false
	}
	switch binary.BigEndian.Uint64(magic) {
	case rawMagic64Little:
		return rawMachine{false, 8}, true
	case rawMagic32Little:
		return rawMachine{false, 4}, true
	case rawMagic64Big:
		return rawMachine{true, 8}, true
	case rawMagic32Big:
		return rawMachine{true, 4}, true
	}
	return m, false
}

// A rawHeader is the header of a module.
type rawHeader struct {
	rawMachine
	version int
	variant Variant
	// Sizes: bytes, but for numbers of records, counters and vtables.
	binaryIDs, records, beforeCounters, counters, afterCounters uint64
	bitmap, afterBitmap, uniform, afterUniform                  uint64
	names, vtables, vtableNames                                 uint64
	// Where sections of counters and bitmaps began, seen from the data.
	countersDelta, bitmapDelta, uniformDelta, namesDelta uint64
	lastKind                                             uint64
}

// Versions of raw files in which parts came.
const (
	rawRelative = 8 // pointers to counters are relative
	rawBitmaps  = 9
	rawVTables  = 10
	rawUniform  = 11
)

// fields are the words behind magic and version, in their order.
func (h *rawHeader) fields() []*uint64 {
	f := []*uint64{&h.binaryIDs, &h.records, &h.beforeCounters, &h.counters, &h.afterCounters}
	if h.version >= rawBitmaps {
		f = append(f, &h.bitmap, &h.afterBitmap)
	}
	if h.version >= rawUniform {
		f = append(f, &h.uniform, &h.afterUniform, &h.uniformDelta)
	}
	f = append(f, &h.names, &h.countersDelta)
	if h.version >= rawBitmaps {
		f = append(f, &h.bitmapDelta)
	}
	f = append(f, &h.namesDelta)
	if h.version >= rawVTables {
		f = append(f, &h.vtables, &h.vtableNames)
	}
	return append(f, &h.lastKind)
}

// maxSection bounds sizes, so that no sum of them overflows.
const maxSection = 1 << 40

// check refuses sizes that cannot be. The error says what is wrong.
func (h *rawHeader) check() error {
	for _, n := range []uint64{h.binaryIDs, h.records, h.beforeCounters, h.counters, h.afterCounters, h.bitmap,
		h.afterBitmap, h.uniform, h.afterUniform, h.names, h.vtables, h.vtableNames} {
		if n > maxSection {
			return fmt.Errorf("a section of %d bytes or records", n)
		}
	}
	if h.binaryIDs%disk.Unit != 0 {
		return fmt.Errorf("%d bytes of binary ids, not a multiple of %d", h.binaryIDs, disk.Unit)
	}
	if h.lastKind >= valueKindsKnown {
		return fmt.Errorf("values of kinds up to %d", h.lastKind)
	}
	return nil
}

// counterSize is the size of a counter in bytes.
func (h *rawHeader) counterSize() uint64 {
	if h.variant&VariantByteCoverage != 0 {
		return 1
	}
	return 8
}

// stampCounters is the number of a function's first counters that are its
// timestamp.
func (h *rawHeader) stampCounters() uint64 {
	if h.variant&VariantTemporal == 0 {
		return 0
	}
	return 8 / h.counterSize()
}

// made is the version of the indexed format that the LLVM writes which reads
// and writes the raw version. Where several do it is the oldest, which all of
// them read: a profile of LLVM 14 that said 9 could not be read by LLVM 14.
// Temporal profiles came with LLVM 17.
func (h *rawHeader) made() int {
	switch {
	case h.version == 7 || h.version == 8 && h.variant&VariantTemporal == 0:
		return 7
	case h.version == 8:
		return sinceTraces
	}
	return h.version + 2
}

// newest is the newest version that an LLVM writes which reads and writes the raw
// version, 0 if that is made's.
func (h *rawHeader) newest() int {
	switch {
	case h.version == 8 && h.variant&VariantTemporal == 0:
		return sinceTraces
	case h.version == 10:
		return IndexedNewest
	}
	return 0
}

// A rawLayout says where in a data record its fields are, and how long it is.
type rawLayout struct {
	size                          uint64
	counters, bitmap, function    int // pointers
	numCounters, numBitmap, sites int
	kinds                         int // of which it has numbers of sites
}

// rawRecordFixed is the size of NameRef and FuncHash.
const rawRecordFixed = 16

func (h *rawHeader) layout() (l rawLayout) {
	at := rawRecordFixed
	pointer := func() int { at += h.pointer; return at - h.pointer }
	l.counters = pointer()
	if h.version >= rawUniform {
		pointer()
	}
	if h.version >= rawBitmaps {
		l.bitmap = pointer()
	}
	l.function = pointer()
	pointer() // of the values
	l.numCounters, l.sites, l.kinds = at, at+4, 2
	at += 8
	if h.version >= rawVTables {
		l.kinds, at = 3, at+4 // with a hole, or what is 16 bits wide of version 11
	}
	if h.version >= rawBitmaps {
		l.numBitmap, at = at, at+4
	}
	l.size = uint64(disk.AlignUp(int64(at), disk.Unit))
	return l
}

// vtableSize is the size of a record of a vtable.
func (h *rawHeader) vtableSize() uint64 {
	return uint64(disk.AlignUp(int64(8+h.pointer+4), disk.Unit))
}

// word reads a pointer.
func (m rawMachine) word(b []byte) uint64 {
	if m.pointer == 4 {
		return uint64(m.u32(b))
	}
	return m.u64(b)
}

// wrap takes an address modulo the size of the machine's addresses.
func (m rawMachine) wrap(address uint64) uint64 {
	if m.pointer == 4 {
		return address & math.MaxUint32
	}
	return address
}
