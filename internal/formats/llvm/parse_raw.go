package llvm

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/lists"
)

type rawScan struct {
	*scan
	machine rawMachine
	stamps  []stamp  // timestamps from all modules
	lastIDs [][]byte // binary ids to add at the end of the file
	f       function
}

type stamp struct{ when, function uint64 }

func (s *scan) readRawProfile() error {
	r := &rawScan{scan: s}
	for first := true; ; first = false {
		m := rawModule{rawScan: r}
		more, err := m.readHeader(first)
		if err := s.salvage(err); err != nil {
			return err
		}
		if !more {
			break
		}
		if err := m.readModule(); err != nil {
			if err := s.salvage(err); err != nil {
				return err
			}
			break
		}
		if m.cut != nil {
			break
		}
	}
	r.addBinaryIDs(r.lastIDs)
	r.addTimestampTrace()
	return nil
}

func (r *rawScan) addTimestampTrace() {
	if len(r.stamps) == 0 {
		return
	}
	slices.SortFunc(r.stamps, func(a, b stamp) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.function, b.function))
	})
	r.addTrace(1, lists.Map(r.stamps, func(s stamp) uint64 { return s.function }))
	r.addStreamSize(1)
}

// readHeader reads the header of the next module. more is false at the end of the input.
func (m *rawModule) readHeader(first bool) (more bool, err error) {
	if !first && !m.skipToNextModule() {
		return false, m.readError()
	}
	at := m.offset
	b, ok := m.readBytes(16)
	if !ok {
		return false, m.cutError("a header")
	}
	machine, ok := machineOf(b)
	if !ok || !first && machine != m.machine || at%disk.Unit != 0 {
		return false, m.malformedError(at, "no header of a module where one must be: % x", b[:8])
	}
	m.machine, m.h.rawMachine = machine, machine
	word := machine.Uint64(b[8:])
	m.h.version, m.h.variant = int(uint32(word)), Variant(word>>VariantShift)
	if err := m.checkVersion(at); err != nil {
		return false, err
	}
	return true, m.readHeaderFields()
}

// skipToNextModule skips the zeros between modules and reports whether a module follows.
func (m *rawModule) skipToNextModule() bool {
	for {
		switch b := m.peekBytes(1); {
		case len(b) == 0:
			return false
		case b[0] != 0:
			return true
		}
		m.readBytes(1)
	}
}

func (m *rawModule) checkVersion(at int64) error {
	v := m.h.version
	switch {
	case v < RawOldest:
		return m.newError(ErrVersion, at, fmt.Sprintf("raw version %d is of an LLVM before 13: "+
			"run llvm-profdata merge of that LLVM and import the .profdata", v))
	case v > RawNewest:
		return m.newError(ErrVersion, at, fmt.Sprintf("raw version %d is newer than %d: "+
			"run llvm-profdata merge of the LLVM that compiled the program and import the .profdata", v, RawNewest))
	case m.h.variant&VariantCorrelated != 0 && len(m.o.DebugInfo) == 0:
		return m.newError(ErrCorrelated, at, "it was built with -profile-correlate=debug-info")
	}
	return nil
}

// findProgram sets m.find if the module has counters but no function records. Only the variant for debug information
// is marked in the header.
func (m *rawModule) findProgram(at int64) error {
	switch {
	case m.h.variant&VariantCorrelated != 0:
		m.find = func() (*correlation, error) { return m.correlationOf(m.o.DebugInfo, readDebugInfo) }
	case m.h.records > 0 || m.h.counters == 0:
	case len(m.o.Binary) == 0:
		return m.newError(ErrCorrelated, at, "it was built with -profile-correlate=binary")
	default:
		m.find = func() (*correlation, error) { return m.correlationOf(m.o.Binary, m.readSections) }
	}
	return nil
}

func (m *rawModule) readHeaderFields() error {
	at := m.offset
	fields := m.h.fieldPointers()
	b, ok := m.readBytes(8 * len(fields))
	if !ok {
		return m.cutError("a header")
	}
	for i, f := range fields {
		*f = m.machine.Uint64(b[8*i:])
	}
	if err := m.h.checkSizes(); err != nil {
		return m.malformedError(at, "%v", err)
	}
	m.l = m.h.recordLayout()
	return m.findProgram(at)
}

// A rawMachine has the byte order and pointer size that the magic identifies.
type rawMachine struct {
	binary.ByteOrder
	pointer int // size in bytes
}

// rawMachines has the magic numbers as big-endian words. Files of little-endian machines start with byte 0x81.
var rawMachines = map[uint64]rawMachine{
	0x8172666f72706cff: {binary.LittleEndian, 8}, 0x8152666f72706cff: {binary.LittleEndian, 4},
	0xff6c70726f667281: {binary.BigEndian, 8}, 0xff6c70726f665281: {binary.BigEndian, 4},
}

func machineOf(magic []byte) (m rawMachine, ok bool) {
	if len(magic) < 8 {
		return m, false
	}
	m, ok = rawMachines[binary.BigEndian.Uint64(magic)]
	return m, ok
}

type rawHeader struct {
	rawMachine
	version int
	variant Variant
	// Numbers of records, counters and vtables. The other sizes are in bytes.
	binaryIDs, records, beforeCounters, counters, afterCounters uint64
	bitmap, afterBitmap, uniform, afterUniform                  uint64
	names, vtables, vtableNames                                 uint64
	// Addresses of the sections of counters and bitmaps, relative to the data.
	countersDelta, bitmapDelta, uniformDelta, namesDelta uint64
	lastKind                                             uint64
}

// Versions of raw files that introduced a part.
const (
	rawRelative = 8 // pointers to counters are relative
	rawBitmaps  = 9
	rawVTables  = 10
	rawUniform  = 11
)

// fieldPointers returns the words after magic and version, in file order.
func (h *rawHeader) fieldPointers() []*uint64 {
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

// maxSection limits sizes, so that adding them cannot overflow.
const maxSection = 1 << 40

func (h *rawHeader) checkSizes() error {
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

func (h *rawHeader) counterSize() uint64 {
	if h.variant&VariantByteCoverage != 0 {
		return 1
	}
	return 8
}

// stampCounters returns the number of leading counters that hold a function's timestamp.
func (h *rawHeader) stampCounters() uint64 {
	if h.variant&VariantTemporal == 0 {
		return 0
	}
	return 8 / h.counterSize()
}

// indexedVersion returns the indexed version that the producing LLVM writes. If several LLVMs share the raw version,
// it is the oldest one's, which all of them read. LLVM 14, for example, cannot read version 9. Temporal profiles came
// with LLVM 17.
func (h *rawHeader) indexedVersion() int {
	switch {
	case h.version == 7 || h.version == 8 && h.variant&VariantTemporal == 0:
		return 7
	case h.version == 8:
		return sinceTraces
	}
	return h.version + 2
}

// newestIndexedVersion returns the newest indexed version that an LLVM with this raw version writes. It returns 0 if
// indexedVersion is the only candidate.
func (h *rawHeader) newestIndexedVersion() int {
	switch {
	case h.version == 8 && h.variant&VariantTemporal == 0:
		return sinceTraces
	case h.version == 10:
		return IndexedNewest
	}
	return 0
}

// A rawLayout holds the field offsets of a data record and its size.
type rawLayout struct {
	size                          uint64
	counters, bitmap, function    int // offsets of pointers
	numCounters, numBitmap, sites int
	kinds                         int // number of value kinds with a site count in the record
}

// rawRecordFixed is the size of NameRef and FuncHash in bytes.
const rawRecordFixed = 16

func (h *rawHeader) recordLayout() (l rawLayout) {
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
	pointer() // skips the pointer to the values
	l.numCounters = at
	l.sites = at + 4
	l.kinds = 2
	at += 8
	if h.version >= rawVTables {
		l.kinds = 3
		at += 4 // third count, and padding or a 16-bit field of version 11
	}
	if h.version >= rawBitmaps {
		l.numBitmap = at
		at += 4
	}
	l.size = uint64(disk.AlignUp(int64(at), disk.Unit))
	return l
}

func (m rawMachine) readPointer(b []byte) uint64 {
	if m.pointer == 4 {
		return uint64(m.Uint32(b))
	}
	return m.Uint64(b)
}

// wrapAddress truncates an address to the pointer size.
func (m rawMachine) wrapAddress(address uint64) uint64 {
	if m.pointer == 4 {
		return address & math.MaxUint32
	}
	return address
}

// A raw file has records, counters, bitmaps, names and values in this order. If it is truncated behind the records, its
// functions are taken with the counters that are there. Their names can come from the program.

// salvageSections returns err unless the module has whole records and some counters, and is to be salvaged. It then
// completes the names from the program.
func (m *rawModule) salvageSections(err error) error {
	cut := (*Error)(nil)
	if !m.o.Salvage || !errors.As(err, &cut) || cut.Kind != ErrCut || uint64(len(m.data)) != m.h.records*m.l.size ||
		len(m.counters) == 0 {
		return err
	}
	m.cut = cut
	m.cutValues = true
	if m.names == nil {
		m.names = newNameIndex(nil)
	}
	if m.find != nil || len(m.o.Binary) == 0 {
		return nil
	}
	program, err := m.correlationOf(m.o.Binary, readProgramNames)
	if err != nil {
		return m.newError(ErrCorrelated, cut.Offset, err.Error())
	}
	m.names = newNameIndex(append(m.names.names, program.names...))
	return nil
}

func readProgramNames(p *elf.File, _ uint64) (*correlation, error) {
	name := sectionProfileNames
	if p.Section(name) == nil {
		name = sectionNames
	}
	packed, err := programSection(p, name)
	if err != nil {
		return nil, err
	}
	names, err := SplitNames(packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &correlation{names: names}, nil
}

// salvageValues drops the error of a file that ends within the values of a function with sites, if the options ask for
// it.
func (m *rawModule) salvageValues(sites int, err error) error {
	cut := (*Error)(nil)
	if !m.o.Salvage || !errors.As(err, &cut) || cut.Kind != ErrCut {
		return err
	}
	m.cut = cut
	m.cutValues = true
	m.report.Lost.Add(LossCutValues, sites)
	return nil
}

// finishSalvage notes why a part of the module is missing. It returns an error if nothing could be taken.
func (m *rawModule) finishSalvage() error {
	switch {
	case m.cut == nil:
		return nil
	case m.report.Methods > 0:
		m.noteSalvaged(m.cut)
		return nil
	case len(m.o.Binary) == 0:
		m.cut.Detail += ": the names of its functions are missing, too, and are taken from its program (option binary)"
	}
	return m.cut
}

// fillCounters completes the counters of a function that the end of the file cuts in two, so that they have size bytes.
func (m *rawModule) fillCounters(b []byte, size uint64) []byte {
	if uint64(len(b)) == size {
		return b
	}
	unit := int(m.h.counterSize())
	whole := b[:len(b)/unit*unit]
	missing := make([]byte, size-uint64(len(whole)))
	if unit == 1 {
		for i := range missing {
			missing[i] = 1 // did not run
		}
	}
	m.report.Lost.AddLoss(codec.Loss{What: LossCutCounts, Count: len(missing) / unit})
	return append(whole, missing...)
}

// maxRawCount is the maximum value of a counter of a raw file. llvm-profdata takes a higher one for damage.
const maxRawCount = 1 << 56

// impossibleCounter returns the number of a counter above maxRawCount. Functions that begin with a mark have no counts.
func (f *function) impossibleCounter() (i int, ok bool) {
	all := uint64(0)
	for _, n := range f.counts {
		all |= n
	}
	if all < maxRawCount || isHotnessMark(f.counts[0]) {
		return 0, false
	}
	i = slices.IndexFunc(f.counts, func(n uint64) bool { return n > maxRawCount })
	return i, i >= 0
}

// A claim is a range of bytes in the section of counters that functions have.
type claim struct{ start, end int }

// claimCounters adds the range of a function's counters to the claims. It extends the last claim if the range follows
// it, as is usual.
func (m *rawModule) claimCounters(start, end int) {
	if last := len(m.claims) - 1; last >= 0 && m.claims[last].end == start {
		m.claims[last].end = end
		return
	}
	m.claims = append(m.claims, claim{start, end})
}

func (m *rawModule) loseGap(start, end int) {
	if total := m.totalOf(m.counters[start:end]); total > 0 {
		m.blocks += total
		m.loseCounts(LossNoOwner, total, fmt.Sprintf("%d counters", (end-start)/disk.CellSize))
	}
}

// nameOf returns the name of a record's function, or describes a function without a name.
func (m *rawModule) nameOf(record []byte) string {
	reference := m.machine.Uint64(record)
	if i, ok := m.names.findName(reference); ok {
		return m.names.names[i]
	}
	return fmt.Sprintf("function %016x", reference)
}

// loseUnclaimed counts the counters of 8 bytes that no function has as lost. Those of a function can begin with a
// timestamp, which is no count.
func (m *rawModule) loseUnclaimed() {
	if m.h.counterSize() != disk.CellSize || m.h.stampCounters() > 0 {
		return
	}
	slices.SortFunc(m.claims, func(a, b claim) int { return cmp.Compare(a.start, b.start) })
	at := 0
	for _, c := range append(m.claims, claim{len(m.counters), len(m.counters)}) {
		if c.start > at {
			m.loseGap(at, c.start)
		}
		at = max(at, c.end)
	}
}
