package methoddata

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// Parts holds the parts of a profile under construction. It is reused through BorrowParts and GiveBack.
type Parts struct {
	presence disk.Presence
	fields   [disk.NumFields]fieldData // indexed by presence bit
	Sections [disk.SectionDirectory]sectionData
	Block    []byte
}

var spareParts = sync.Pool{New: func() any { return new(Parts) }}

// BorrowParts returns empty parts. Return them with GiveBack.
func BorrowParts() *Parts { return spareParts.Get().(*Parts) }

// GiveBack returns the parts for reuse. The caller must not use them afterwards.
func (p *Parts) GiveBack() {
	p.reset()
	spareParts.Put(p)
}

func (p *Parts) reset() {
	p.presence = 0
	p.Block = p.Block[:0]
	for i := range p.fields {
		p.fields[i] = p.fields[i][:0]
	}
	for i := range p.Sections {
		p.Sections[i].Bytes = p.Sections[i].Bytes[:0]
		p.Sections[i].entries = p.Sections[i].entries[:0]
	}
}

// fieldData is an encoded optional field, empty if the profile lacks it.
type fieldData []byte

type sectionData struct {
	Bytes   []byte
	entries []entryData
	spare   []byte
}

type entryData struct {
	order      entryOrder
	start, end int
}

type entryOrder struct {
	point int32
	tag   layout.Tag
	sub   layout.Sub
}

func (p *Parts) Field(f disk.Presence) *fieldData {
	p.presence |= f
	field := &p.fields[fieldIndex(f)]
	*field = (*field)[:0]
	return field
}

func (p *Parts) Put64(f disk.Presence, values ...uint64) {
	field := p.Field(f)
	for _, v := range values {
		*field = binary.LittleEndian.AppendUint64(*field, v)
	}
}

func (p *Parts) Put32(f disk.Presence, values ...uint32) {
	field := p.Field(f)
	for _, v := range values {
		*field = binary.LittleEndian.AppendUint32(*field, v)
	}
}

func (p *Parts) PutTraps(byReason []byte) {
	p.Put32(disk.HasTraps, uint32(len(byReason)), 0)
	field := &p.fields[fieldIndex(disk.HasTraps)]
	*field = append(*field, byReason...)
	for len(*field)%disk.Unit != 0 {
		*field = append(*field, 0)
	}
}

// Encode encodes the block, without links.
func (p *Parts) Encode() {
	data := &p.Sections[disk.SectionData]
	data.sort()
	directory := 0
	if len(data.entries) >= disk.DirectoryMin {
		directory = len(data.entries)
	}
	p.sectionFields(directory)
	b := append(p.Block[:0], make([]byte, disk.BlockHeaderSize)...)
	for _, f := range p.fields {
		b = append(b, f...)
	}
	for s := range p.Sections {
		b = append(b, p.Sections[s].Bytes...)
	}
	for _, e := range data.entries[:directory] {
		b = disk.AppendDirectoryRow(b, e.order.point, int64(e.start))
	}
	le := binary.LittleEndian
	le.PutUint32(b, uint32(len(b)/disk.Unit))
	le.PutUint32(b[8:], uint32(p.presence))
	le.PutUint32(b[12:], uint32(len(data.Bytes)/disk.Unit))
	p.Block = b
}

func (p *Parts) sectionFields(directory int) {
	units := func(s disk.BlockSection) uint32 { return uint32(len(p.Sections[s].Bytes) / disk.Unit) }
	extra := units(disk.SectionExtra)
	parameters := units(disk.SectionParameters)
	handlers := units(disk.SectionHandlers)
	if extra|parameters|handlers != 0 {
		p.Put32(disk.HasSections, extra, parameters, handlers, 0)
	}
	if directory > 0 {
		p.Put32(disk.HasDirectory, uint32(directory), 0)
	}
}

// sort sorts the entries by profile point. They are mostly sorted already.
func (s *sectionData) sort() {
	inOrder := func(a, b entryData) int { return a.order.compare(b.order) }
	if slices.IsSortedFunc(s.entries, inOrder) {
		return
	}
	slices.SortStableFunc(s.entries, inOrder)
	b := s.spare[:0]
	for i, e := range s.entries {
		s.entries[i].start = len(b)
		b = append(b, s.Bytes[e.start:e.end]...)
		s.entries[i].end = len(b)
	}
	s.Bytes, s.spare = b, s.Bytes
}

func (s *sectionData) Add(start int) {
	e := disk.Entry(s.Bytes[start:])
	s.entries = append(s.entries, entryData{entryOrder{e.Point(), e.Tag(), e.Sub()}, start, len(s.Bytes)})
}

func (o entryOrder) compare(p entryOrder) int {
	return cmp.Or(cmp.Compare(o.point, p.point), cmp.Compare(o.tag, p.tag), cmp.Compare(o.sub, p.sub))
}

func EachEntry(shape disk.Shape, b disk.Block, yield func(section disk.BlockSection, e disk.Entry)) {
	EachEntryIn(shape, b.Section(disk.SectionData), func(e disk.Entry) { yield(disk.SectionData, e) })
	if b.Presence()&disk.HasSections == 0 {
		return
	}
	for section := disk.SectionExtra; section < disk.SectionDirectory; section++ {
		EachEntryIn(shape, b.Section(section), func(e disk.Entry) { yield(section, e) })
	}
}

func EachEntryIn(shape disk.Shape, section []byte, yield func(e disk.Entry)) {
	for len(section) > 0 {
		FirstEntry(shape, &section, yield)
	}
}

// FirstEntry removes the first entry of a section and calls yield with it. It panics if the section is malformed.
func FirstEntry(shape disk.Shape, section *[]byte, yield func(e disk.Entry)) {
	e, rest, err := shape.NextEntry(*section)
	if err != nil {
		panic("builder: encoded a block it cannot walk: " + err.Error())
	}
	*section = rest
	yield(e)
}

func fieldIndex(f disk.Presence) int { return bits.TrailingZeros32(uint32(f)) }

// AppendStored appends a copy of a file's block without the file's own fields and without padding. ok is false if
// Parts.Encode would give another block for the same fields and entries.
func AppendStored(to []byte, shape disk.Shape, b disk.Block) (all []byte, ok bool) {
	if !hasEncodedFields(b) || !hasEncodedEntries(shape, b) {
		return to, false
	}
	start := len(to)
	to = append(to, b[:disk.BlockHeaderSize]...)
	to = append(to, fieldBytes(b, disk.HasInvocations)...)
	others, _ := b.FieldOffset(disk.HasCode)
	to = append(to, b[others:b.SectionSpan(disk.SectionDirectory).End()]...)
	le.PutUint32(to[start:], uint32((len(to)-start)/disk.Unit))
	le.PutUint32(to[start+disk.BlockMethod:], 0)
	le.PutUint32(to[start+disk.BlockPresence:], uint32(b.Presence()&^disk.FileFields))
	return to, true
}

// hasEncodedFields reports whether no field is empty, and unused bytes are 0.
func hasEncodedFields(b disk.Block) bool {
	const uncommon = disk.HasTraps | disk.HasSections | disk.HasDirectory
	unused := uint32(0)
	if b.Presence()&uncommon != 0 {
		if f := fieldBytes(b, disk.HasTraps); f != nil {
			unused |= le.Uint32(f[4:])
			for _, v := range f[min(disk.Unit+int(le.Uint32(f)), len(f)):] {
				unused |= uint32(v)
			}
		}
		if f := fieldBytes(b, disk.HasSections); f != nil {
			unused |= le.Uint32(f[12:])
			if le.Uint32(f)|le.Uint32(f[4:])|le.Uint32(f[8:]) == 0 {
				return false
			}
		}
		if f := fieldBytes(b, disk.HasDirectory); f != nil {
			unused |= le.Uint32(f[4:])
		}
	}
	return unused == 0 && (b.Presence()&disk.HasCode == 0 || b.Code() != 0)
}

// hasEncodedEntries reports whether the entries are sorted, have a directory if they are many, and have no cells that
// Recording.Add changes.
func hasEncodedEntries(shape disk.Shape, b disk.Block) bool {
	isEncoded := true
	entries := 0
	var before entryOrder
	EachEntry(shape, b, func(section disk.BlockSection, e disk.Entry) {
		order := entryOrder{e.Point(), e.Tag(), e.Sub()}
		if section == disk.SectionData {
			isEncoded = isEncoded && (entries == 0 || before.compare(order) <= 0)
			before = order
			entries++
		}
		if disk.TagByProducer(e.Tag()) || e.Tag() == layout.TagReceivers && e.Cell(1)>>32 != 0 {
			isEncoded = false
		}
	})
	rows := 0
	if f := fieldBytes(b, disk.HasDirectory); f != nil {
		rows = int(le.Uint32(f))
	}
	return isEncoded && (rows == entries || rows == 0) && rows != 0 == (entries >= disk.DirectoryMin) &&
		rows != 0 == (b.Presence()&disk.HasDirectory != 0)
}
