package archivewriter

import (
	"encoding/binary"
	"math/bits"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// measureProfiles computes the summary of all profiles and collects their pointer slots. It visits them in order of
// arrival, which is mostly their order in the spill file.
func (p *plan) measureProfiles() error {
	m := measurer{p: p, masks: p.b.Shape.Masks(), others: tally{}}
	p.slotsOf = fastmem.AllocateLarge[uint32](p.b.Profiles.Len())
	for number, d := range p.b.Profiles.All {
		p.slotsOf[number-1] = m.measure(p.view.At(d.Block))
		if number%forgetAfter == 0 {
			p.view.Forget()
		}
	}
	p.settle(&m)
	return nil
}

// forgetAfter is the number of blocks after which the view releases the pages that it has read.
const forgetAfter = 1 << 16

type measurer struct {
	p     *plan
	masks *disk.Masks
	list  slotList // pointer slots of the current block

	invocations, backedges, blockCounts unitTotal
	byTag                               [len(disk.Masks{})]unitTotal // entries that have masks
	others                              tally
}

func (m *measurer) measure(b disk.Block) (slots uint32) {
	s := &m.p.summary
	if f := b.Field(disk.HasInvocations); f != nil {
		n := binary.LittleEndian.Uint64(f)
		s.TotalInvocations = disk.SaturatingAdd(s.TotalInvocations, n)
		s.MaxInvocations = max(s.MaxInvocations, n)
		m.invocations.addCount(n)
	}
	if f := b.Field(disk.HasBackedges); f != nil {
		m.backedges.addCount(binary.LittleEndian.Uint64(f))
	}
	m.list.beginBlock()
	m.section(b, disk.SectionData)
	if b.Presence()&disk.HasSections != 0 {
		for section := disk.SectionExtra; section < disk.SectionDirectory; section++ {
			m.section(b, section)
		}
	}
	return m.p.slots.keepList(&m.list)
}

// section measures the entries of a section. Masks locate the cells of entries with a fixed size; the cells of other
// entries are visited one by one.
func (m *measurer) section(block disk.Block, s disk.BlockSection) {
	at := uint32(block.SectionSpan(s).Offset / disk.Unit) // word offset of the next entry in the block
	rest := block.Section(s)
	for len(rest) > 0 {
		m.p.entries++
		if tag := rest[0]; int(tag) < len(m.masks) && m.masks[tag].Units > 0 {
			mask := &m.masks[tag]
			m.masked(rest, at, mask, s)
			rest = rest[mask.Units*disk.Unit:]
			at += mask.Units
			continue
		}
		n := len(rest)
		methoddata.FirstEntry(m.p.b.Shape, &rest, func(e disk.Entry) { m.entry(e, at, s) })
		at += uint32((n - len(rest)) / disk.Unit)
	}
}

// masked measures an entry of a fixed size. at is its word offset in the block.
func (m *measurer) masked(e []byte, at uint32, mask *disk.Mask, s disk.BlockSection) {
	const header = disk.EntryHeaderSize / disk.Unit
	for cells := mask.Pointers; cells != 0; cells &= cells - 1 {
		cell := uint32(bits.TrailingZeros64(cells))
		m.pointer(at+header+cell, mask.Methods, binary.LittleEndian.Uint64(e[(header+cell)*disk.Unit:]))
	}
	if s != disk.SectionData {
		return
	}
	total := &m.byTag[e[0]]
	for cells := mask.Counts; cells != 0; cells &= cells - 1 {
		v := binary.LittleEndian.Uint64(e[(header+bits.TrailingZeros64(cells))*disk.Unit:])
		if !mask.Signed || int64(v) >= 0 {
			m.addCount(v)
		}
		total.addCount(v)
	}
}

// entry measures an entry that has no mask. at is its word offset in the block.
func (m *measurer) entry(e disk.Entry, at uint32, s disk.BlockSection) {
	shape := m.p.b.Shape
	for cell, kind := range shape.Pointers(e) {
		m.pointer(at+uint32(e.CellOffset(cell)/disk.Unit), kind == disk.CellMethod, e.Cell(cell))
	}
	if s != disk.SectionData {
		return
	}
	if e.Tag() == layout.TagCounters && m.p.b.Domain.LLVM() { // fast path for archives that hold little else
		for cells := e[disk.WideHeaderSize:]; len(cells) > 0; cells = cells[disk.CellSize:] {
			m.addCount(binary.LittleEndian.Uint64(cells))
		}
		m.blockCounts.addCounters(e[disk.WideHeaderSize:])
		return
	}
	total := m.others.of(ledger.UnitOf(m.p.b.Domain, e.Tag(), e.Sub()))
	signed := e.SignedCount()
	for cell := range shape.Counts(e) {
		v := e.Cell(cell)
		if !signed || int64(v) >= 0 {
			m.addCount(v)
		}
		total.addCount(v)
	}
}

// pointer adds a pointer slot to the list. A method that an entry refers to counts as run.
func (m *measurer) pointer(word uint32, method bool, v uint64) {
	m.list.addSlot(word, method)
	if method {
		m.p.meet(profileset.MethodRef(v >> methoddata.RefShift))
	}
}

func (m *measurer) addCount(n uint64) {
	s := &m.p.summary
	s.TotalCount = disk.SaturatingAdd(s.TotalCount, n)
	s.MaxCount = max(s.MaxCount, n)
}

// slots records which words of the blocks are pointers and which of these point to methods. A pointer takes one or two
// bytes, and blocks need not be decoded again. The number of a list is its offset in the chunks in units of slotUnit
// bytes, plus 1.
type slots struct{ chunks [][]byte }

const (
	slotUnit  = 4
	slotChunk = 1 << 20
)

// A slotList is the list of a block under construction. An element is the distance to the previous pointer in words,
// shifted left by one bit. The low bit is set if the pointer is to a method. A zero byte ends the list.
type slotList struct {
	bytes []byte
	last  uint32 // word offset of the last slot
}

func (l *slotList) beginBlock() {
	l.bytes = l.bytes[:0]
	l.last = 0
}

// addSlot adds a slot at a word offset. Offsets must ascend.
func (l *slotList) addSlot(word uint32, method bool) {
	distance := uint64(word-l.last) << 1
	if method {
		distance |= 1
	}
	l.bytes = binary.AppendUvarint(l.bytes, distance)
	l.last = word
}

func (s *slots) keepList(l *slotList) uint32 {
	if len(l.bytes) == 0 {
		return 0
	}
	l.bytes = append(l.bytes, zeroPage[:slotUnit-len(l.bytes)%slotUnit]...)
	switch n := len(s.chunks); {
	case n == 0:
		s.chunks = append(s.chunks, nil) // this chunk grows, since most archives need little
	case len(s.chunks[n-1])+len(l.bytes) > slotChunk:
		s.chunks = append(s.chunks, make([]byte, 0, max(slotChunk, len(l.bytes))))
	}
	chunk := &s.chunks[len(s.chunks)-1]
	number := (len(s.chunks)-1)*(slotChunk/slotUnit) + len(*chunk)/slotUnit
	*chunk = append(*chunk, l.bytes...)
	return uint32(number + 1)
}

func (s *slots) each(number uint32, yield func(word uint32, method bool)) {
	if number == 0 {
		return
	}
	const units = slotChunk / slotUnit
	rest := s.chunks[(number-1)/units][(number-1)%units*slotUnit:]
	word := uint32(0)
	for rest[0] != 0 {
		distance := uint64(rest[0])
		n := 1
		if distance >= 0x80 {
			distance, n = binary.Uvarint(rest)
		}
		word += uint32(distance >> 1)
		yield(word, distance&1 != 0)
		rest = rest[n:]
	}
}
