package llvm

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

// A rawModule is one program or library of the process. Its counters stay in memory, because names and values follow
// them.
type rawModule struct {
	*rawScan
	h                      rawHeader
	l                      rawLayout
	data, counters, bitmap []byte
	dataAt                 int64  // file offset of data
	claimed                uint64 // bytes of counters and bitmaps used by the functions read
	claims                 []claim
	cut                    *Error // end of the file within the module; nil for a whole one
	cutValues              bool   // the values of further functions are behind the end of the file
	names                  *nameIndex
	addresses              addressIndex
	ids                    [][]byte                     // binary ids
	find                   func() (*correlation, error) // reads the program; nil if the module has function records
}

func (m *rawModule) readModule() error {
	if err := m.beginModule(heading{kind: KindRaw, version: m.h.version, producer: m.h.indexedVersion(),
		newest: m.h.newestIndexedVersion(), variant: m.h.variant &^ VariantCorrelated}); err != nil {
		return err
	}
	if err := m.readParts(); err != nil {
		if err := m.salvageSections(err); err != nil {
			return err
		}
	}
	if m.find != nil {
		if err := m.correlate(); err != nil {
			return err
		}
	}
	if err := m.readFunctions(); err != nil {
		return err
	}
	m.loseUnclaimed()
	return m.finishSalvage()
}

func (m *rawModule) readParts() error {
	return lists.Run(m.readBinaryIDs, m.readFunctionData, m.readCounters, m.readNames, m.readVTables)
}

func (m *rawModule) readBinaryIDs() error {
	at := m.offset
	b, ok := m.readSection(m.h.binaryIDs)
	if !ok {
		return m.cutError("the binary ids")
	}
	ids, err := splitBinaryIDs(b, m.machine.ByteOrder)
	if err != nil {
		return m.malformedError(at, "%v", err)
	}
	m.ids = ids
	if m.forgetsBinaryIDs() {
		m.lastIDs = ids
		return nil
	}
	m.addBinaryIDs(ids)
	return nil
}

// forgetsBinaryIDs reports whether the merge imitates LLVM 16, which keeps only the binary ids of the last module.
func (m *rawModule) forgetsBinaryIDs() bool {
	return m.o.AsLLVM && m.report.Params.LLVMVersion == sinceBinaryIDs
}

func (m *rawModule) readFunctionData() (err error) {
	m.dataAt = m.offset
	m.data, err = m.readPadded(m.h.records*m.l.size, m.h.beforeCounters, "the data of functions")
	return err
}

func (m *rawModule) readCounters() (err error) {
	m.counters, err = m.readPadded(m.h.counters*m.h.counterSize(), m.h.afterCounters, "the counters")
	if err != nil {
		return err
	}
	m.bitmap, err = m.readPadded(m.h.bitmap, m.h.afterBitmap, "the bitmaps")
	if err != nil {
		return err
	}
	uniform, err := m.readPadded(8*m.h.uniform, m.h.afterUniform, "the uniform counters")
	if len(uniform) > 0 {
		total := m.totalOf(uniform)
		m.blocks += total
		m.report.Lost.AddLoss(codec.Loss{What: LossUniform, Count: len(uniform) / 8, Unit: ledger.BlockCounts,
			Amount: total})
	}
	return err
}

// totalOf returns the total of counters of 8 bytes, modulo 2^64.
func (m *rawModule) totalOf(counters []byte) (sum uint64) {
	for ; len(counters) >= 8; counters = counters[8:] {
		sum += m.machine.Uint64(counters)
	}
	return sum
}

// readPadded reads a section. If the input ends within the section, it returns the remaining bytes.
func (m *rawModule) readPadded(size, padding uint64, what string) ([]byte, error) {
	b, ok := m.readSection(size)
	if !ok {
		return b, m.cutError(what)
	}
	if !m.skipBytes(padding) {
		return b, m.cutError("the padding after " + what)
	}
	return b, nil
}

// paddingAfter returns the number of bytes from size to the next multiple of 8.
func paddingAfter(size uint64) uint64 { return -size % disk.Unit }

func (m *rawModule) readNames() error {
	names, err := m.readNameSection(m.h.names, "the names")
	m.names = names
	return err
}

func (m *rawModule) readNameSection(size uint64, what string) (*nameIndex, error) {
	at := m.offset
	b, err := m.readPadded(size, paddingAfter(size), what)
	if err != nil {
		if m.o.Salvage {
			return newNameIndex(wholeNames(b)), err
		}
		return newNameIndex(nil), err
	}
	if last, ok := m.o.sections.Load(what); ok && bytes.Equal(b, last.(keptSection).bytes) {
		return last.(keptSection).names.withoutUse(), nil
	}
	names, err := SplitNames(b)
	if err != nil {
		return newNameIndex(nil), m.malformedError(at, "%s: %v", what, err)
	}
	index := newNameIndex(slices.Clip(names))
	if len(b) <= maxKeptSection {
		m.o.sections.Store(what, keptSection{b, index.withoutUse()})
	}
	return index, nil
}

// maxKeptSection is the maximum size of a section of names that is kept for the next file.
const maxKeptSection = 1 << 20

type keptSection struct {
	bytes []byte
	names *nameIndex
}

func (m *rawModule) readVTables() error {
	at := m.offset
	size := uint64(disk.AlignUp(int64(8+m.h.pointer+4), disk.Unit))
	b, err := m.readPadded(m.h.vtables*size, paddingAfter(m.h.vtables*size), "the vtables")
	if err != nil {
		return err
	}
	for ; uint64(len(b)) >= size; b = b[size:] {
		v := rawVTable{name: m.machine.Uint64(b), address: m.machine.readPointer(b[8:]),
			size: uint64(m.machine.Uint32(b[8+m.h.pointer:]))}
		m.addresses.vtables = append(m.addresses.vtables, v)
	}
	names, err := m.readNameSection(m.h.vtableNames, "the names of vtables")
	if err != nil {
		return err
	}
	if err := checkNameLengths(names.names); err != nil {
		return m.malformedError(at, "%v", err)
	}
	m.addVTables(names)
	return nil
}

// addVTables adds all vtables that have a name, with or without an address.
func (m *rawModule) addVTables(names *nameIndex) {
	for _, v := range m.addresses.vtables {
		if i, ok := names.findName(v.name); ok {
			m.addVTable(names.names[i], v.address, v.size)
		}
	}
	for _, name := range names.names {
		m.addVTable(name, 0, 0)
	}
}

// splitBinaryIDs decodes { u64 length, bytes, zeros }.
func splitBinaryIDs(b []byte, o binary.ByteOrder) (ids [][]byte, err error) {
	for len(b) >= 8 {
		n := o.Uint64(b)
		b = b[8:]
		if n == 0 || n > uint64(len(b)) {
			return nil, fmt.Errorf("a binary id of %d bytes, where %d are left", n, len(b))
		}
		ids = append(ids, b[:n])
		b = b[min(uint64(len(b)), n+paddingAfter(n)):]
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%d bytes after the last binary id", len(b))
	}
	return ids, nil
}

// An addressIndex maps addresses of the process to functions and vtables.
type addressIndex struct {
	functions []codeAddress
	vtables   []rawVTable
	sorted    bool
}

type codeAddress struct{ address, name uint64 }

type rawVTable struct{ name, address, size uint64 }

func (p *addressIndex) sortAddresses() {
	slices.SortFunc(p.functions, func(a, b codeAddress) int {
		return cmp.Or(cmp.Compare(a.address, b.address), cmp.Compare(a.name, b.name))
	})
	slices.SortFunc(p.vtables, func(a, b rawVTable) int { return cmp.Compare(a.address, b.address) })
	p.sorted = true
}

// functionAt returns the NameRef of the function at an address, or 0.
func (p *addressIndex) functionAt(address uint64) uint64 {
	i, ok := slices.BinarySearchFunc(p.functions, address,
		func(f codeAddress, a uint64) int { return cmp.Compare(f.address, a) })
	if !ok {
		return 0
	}
	return p.functions[i].name
}

// vtableAt returns the NameRef of the vtable that contains an address or ends there, or 0.
func (p *addressIndex) vtableAt(address uint64) uint64 {
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

// readFunctions adds the functions of a module. Their values are at the end of the file, in the same order.
func (m *rawModule) readFunctions() error {
	for i := range m.h.records {
		record := m.data[i*m.l.size : (i+1)*m.l.size]
		m.f.clearContent()
		if err := m.readCounts(i, record); errors.Is(err, errBehind) {
			m.report.Lost.AddLoss(codec.Loss{What: LossCut, Count: 1, First: []string{m.nameOf(record)}})
			continue
		} else if err != nil {
			return m.malformedError(m.recordOffset(i), "%v", err)
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

func (m *rawModule) recordOffset(i uint64) int64 { return m.dataAt + int64(i*m.l.size) }

// readCounts decodes the counters and the bitmap of function i. The error has no offset.
func (m *rawModule) readCounts(i uint64, record []byte) error {
	number := uint64(m.machine.Uint32(record[m.l.numCounters:]))
	size := m.h.counterSize()
	stamps := m.h.stampCounters()
	if number == 0 || number < stamps {
		return fmt.Errorf("a function of %d counters", number)
	}
	b, at, err := m.sectionBytes(rawSection{m.counters, m.h.counters * size}, i, record[m.l.counters:],
		m.h.countersDelta, number*size)
	if err == nil {
		err = m.claimBytes(number * size)
	}
	if err != nil {
		return fmt.Errorf("counters: %w", err)
	}
	m.claimCounters(at, at+len(b))
	b = m.fillCounters(b, number*size)
	if stamps > 0 {
		// Functions that were not called have 0 or the highest number.
		if when := m.machine.Uint64(b); when != 0 && when != math.MaxUint64 {
			m.stamps = append(m.stamps, stamp{when, m.machine.Uint64(record)})
		}
		b = b[8:]
	}
	m.f.appendCounters(b, m.machine.ByteOrder, size)
	return m.readBitmap(i, record)
}

// maxClaims limits how often functions may use a counter of a module on average. Functions share counters only if they
// are copies of an inline function that a linker did not fold.
const maxClaims = 16

// claimBytes counts the bytes that functions use. Without its limit, a crafted file in which every function uses all
// counters would take quadratic time.
func (m *rawModule) claimBytes(size uint64) error {
	m.claimed += size
	if all := m.h.counters*m.h.counterSize() + m.h.bitmap; m.claimed > maxClaims*all {
		return fmt.Errorf("functions claim them more than %d times over", maxClaims)
	}
	return nil
}

// appendCounters decodes counters of size bytes. A counter of one byte is 0 if the code ran.
func (f *function) appendCounters(b []byte, o binary.ByteOrder, size uint64) {
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
	if o == binary.LittleEndian {
		f.counts = words.AppendWords(f.counts, b)
		return
	}
	for ; len(b) >= 8; b = b[8:] {
		f.counts = append(f.counts, o.Uint64(b))
	}
}

func (m *rawModule) readBitmap(i uint64, record []byte) error {
	if m.h.version < rawBitmaps {
		return nil
	}
	number := uint64(m.machine.Uint32(record[m.l.numBitmap:]))
	if number == 0 {
		return nil
	}
	b, _, err := m.sectionBytes(rawSection{m.bitmap, m.h.bitmap}, i, record[m.l.bitmap:], m.h.bitmapDelta, number)
	if errors.Is(err, errBehind) || err == nil && uint64(len(b)) < number {
		m.report.Lost.Add(LossCutBitmap, 1)
		return nil
	}
	if err == nil {
		err = m.claimBytes(number)
	}
	if err != nil {
		return fmt.Errorf("bitmap: %w", err)
	}
	m.f.bitmap = b
	return nil
}

// A rawSection is a section of counters or bitmaps. It has fewer bytes than size if the file is truncated.
type rawSection struct {
	bytes []byte
	size  uint64
}

var errBehind = errors.New("behind the end of the file")

// sectionBytes returns the part of a section that record i points at, up to the end of the file, and its offset. From
// version 8 on, the pointer is relative to the record, and delta is relative to the first record.
func (m *rawModule) sectionBytes(section rawSection, i uint64, pointer []byte, delta,
	size uint64) (b []byte, start int, err error) {
	if m.h.version >= rawRelative {
		delta -= i * m.l.size
	}
	at := m.h.wrapAddress(m.machine.readPointer(pointer) - delta)
	if at > section.size || size > section.size-at {
		return nil, 0, fmt.Errorf("%d bytes at 0x%x of a section of 0x%x", size, at, section.size)
	}
	have := uint64(len(section.bytes))
	if have <= at && size > 0 {
		return nil, 0, errBehind
	}
	end := min(at+size, have)
	return section.bytes[at:end:end], int(at), nil
}

func (m *rawModule) readValues(i uint64, record []byte) error {
	var sites [valueKindsKnown]int
	all := 0
	for kind := range m.l.kinds {
		sites[kind] = int(m.machine.Uint16(record[m.l.sites+2*kind:]))
		all += sites[kind]
	}
	switch {
	case all == 0:
		return nil
	case m.cutValues:
		m.report.Lost.Add(LossCutValues, all)
		return nil
	}
	at := m.offset
	head := m.peekBytes(valueBlockHeader)
	if len(head) < valueBlockHeader {
		return m.salvageValues(all, m.cutError("the values of a function"))
	}
	size := m.machine.Uint32(head)
	if size < valueBlockHeader || size%disk.Unit != 0 {
		return m.malformedError(at, "a block of values of %d bytes", size)
	}
	b, ok := m.readBytes(int(size))
	if !ok {
		return m.salvageValues(all, m.cutError("the values of a function"))
	}
	if err := m.f.valueBlock(b, m.machine.ByteOrder); err != nil {
		return m.malformedError(at, "%v", err)
	}
	for _, s := range m.f.sites {
		sites[s.kind]--
	}
	if sites != [valueKindsKnown]int{} {
		return m.malformedError(at, "another number of value sites than function %d has", i)
	}
	m.remapAddresses()
	return nil
}

func (m *rawModule) remapAddresses() {
	if !m.addresses.sorted {
		m.indexFunctions()
	}
	start := 0
	for _, s := range m.f.sites {
		values := m.f.values[start:s.end]
		start = s.end
		for i := range values {
			switch s.kind {
			case layout.SubIndirectCall:
				values[i].Value = m.addresses.functionAt(values[i].Value)
			case layout.SubVTable:
				values[i].Value = m.addresses.vtableAt(values[i].Value)
			}
		}
	}
}

func (m *rawModule) indexFunctions() {
	m.addresses.functions = make([]codeAddress, 0, m.h.records)
	for b := m.data; len(b) > 0; b = b[m.l.size:] {
		if address := m.machine.readPointer(b[m.l.function:]); address != 0 {
			m.addresses.functions = append(m.addresses.functions, codeAddress{address, m.machine.Uint64(b)})
		}
	}
	m.addresses.sortAddresses()
}

// addRecord adds the function of a record. Functions with the same name and hash are merged, like profiles of two
// modules.
func (m *rawModule) addRecord(i uint64, record []byte) error {
	m.countFunction(&m.f)
	name, ok := m.names.findName(m.machine.Uint64(record))
	if !ok {
		m.loseFunction(LossUnnamed, &m.f, m.nameOf(record))
		return nil
	}
	if block, ok := m.f.impossibleCounter(); ok {
		if m.from.SkipBad {
			m.loseFunction(LossCounter, &m.f, m.names.names[name])
			return nil
		}
		return m.newError(ErrCounter, m.recordOffset(i), fmt.Sprintf("%.200s: counter %d is %d", m.names.names[name],
			block, m.f.counts[block]))
	}
	if m.names.used[name] {
		if err := m.beginRun(); err != nil {
			return err
		}
	}
	m.names.used[name] = true
	m.f.name = append(m.f.name[:0], m.names.names[name]...)
	m.f.hash = m.machine.Uint64(record[8:])
	return m.addFunctionAt(&m.f, m.recordOffset(i))
}
