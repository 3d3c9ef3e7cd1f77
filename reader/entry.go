package reader

import (
	"iter"
	"runtime"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// Entries iterates over the data entries in the order of their profile points.
func (p Profile) Entries() iter.Seq[Entry] { return p.Section(disk.SectionData) }

// Section iterates over the entries of a section. The sections are 0 for data, 1 for extra entries, 2 for parameters
// and 3 for exception handlers. Other values have no entries.
func (p Profile) Section(s disk.BlockSection) iter.Seq[Entry] {
	return func(yield func(Entry) bool) { p.yieldSection(s, yield) }
}

// Shape returns the declared shape, which must not be modified; ok is false if the entry's tag is not the producer's.
func (e Entry) Shape() (s *layout.EntryShape, ok bool) {
	if e.s == nil {
		return nil, false
	}
	shapes := e.s.shape.Declared.Shapes()
	at, ok := slices.BinarySearchFunc(shapes, e.kind.tag,
		func(s layout.EntryShape, tag layout.Tag) int { return int(s.Tag) - int(tag) })
	if !ok {
		return nil, false
	}
	return &shapes[at], true
}

func (p Profile) yieldSection(s disk.BlockSection, yield func(Entry) bool) {
	if p.s == nil || s < disk.SectionData || s >= disk.SectionDirectory {
		return
	}
	entries := p.sectionOf(s)
	for at := 0; at < len(entries.trained); {
		e, ok := entries.entryAt(p, at)
		if !ok || !yield(e) {
			break
		}
		at += e.place.byteSize()
	}
	runtime.KeepAlive(p.s)
}

type section struct {
	start   int64 // offset in the file
	trained []byte
}

func (p Profile) sectionOf(s disk.BlockSection) section {
	block := p.trainedBlock()
	span := block.SectionSpan(s)
	if span.End() > int64(len(block)) {
		return section{}
	}
	return section{p.Ref().Offset() + span.Offset, block[span.Offset:span.End()]}
}

// entryAt returns the entry at an offset in the section. ok is false only if the file changed since the check.
func (c section) entryAt(p Profile, at int) (Entry, bool) {
	if rest := c.trained[at:]; len(rest) >= disk.EntryHeaderSize {
		if units := p.s.fixed.Units[rest[0]]; units != 0 && int(units) <= len(rest)/disk.Unit {
			return c.makeEntry(p, at, layout.Tag(rest[0]), uint32(units)), true
		}
	}
	return c.measureEntry(p, at)
}

// measureEntry is entryAt for an entry whose size depends on its content.
func (c section) measureEntry(p Profile, at int) (Entry, bool) {
	raw, _, err := p.s.shape.NextEntry(c.trained[at:])
	if err != nil {
		return Entry{}, false
	}
	if disk.IsWide(raw.Tag()) && len(raw) < disk.WideHeaderSize {
		return Entry{}, false
	}
	return c.makeEntry(p, at, raw.Tag(), uint32(len(raw)/disk.Unit)), true
}

func (c section) makeEntry(p Profile, at int, tag layout.Tag, units uint32) Entry {
	header := uint8(disk.EntryHeaderSize / disk.Unit)
	if disk.IsWide(tag) {
		header = disk.WideHeaderSize / disk.Unit
	}
	start := c.start + int64(at)
	return Entry{p.s, extentInFile{disk.RefOf(start), units}, entryKind{tag, header, uint32(at / disk.Unit)},
		p.adopted.From(uint64(start - p.Ref().Offset()))}
}

// At returns the first data entry at a profile point. It does not allocate. In methods with many points it is a binary
// search in the point directory.
func (p Profile) At(point int32) (e Entry, ok bool) {
	if p.s == nil {
		return Entry{}, false
	}
	data, dir := p.dataEntries()
	if len(dir) != 0 {
		return p.entryOfRow(data, dir, firstDirectoryRow(dir, point), point)
	}
	at, ok := p.s.scanForPoint(data.trained, point)
	if !ok {
		runtime.KeepAlive(p.s)
		return Entry{}, false
	}
	return data.entryAt(p, int(at))
}

func (p Profile) dataEntries() (data section, directory []byte) {
	start, entries, directory := p.trainedBlock().Data()
	return section{p.Ref().Offset() + start, entries}, directory
}

// scanForPoint returns the offset of the first data entry at a point. It relies on the checked sizes of wide entries.
func (s *Store) scanForPoint(entries []byte, point int32) (at int64, ok bool) {
	for at+disk.EntryHeaderSize <= int64(len(entries)) {
		head := le.Uint64(entries[at:])
		if disk.IsWide(layout.Tag(head)) {
			if int32(head>>32) == point {
				return at, true
			}
			if at+disk.WideHeaderSize > int64(len(entries)) {
				break
			}
			at += disk.WideHeaderSize + int64(le.Uint32(entries[at+8:]))*disk.CellSize
			continue
		}
		if int32(uint16(head>>16)) == point {
			return at, true
		}
		if units := int64(s.fixed.Units[uint8(head)]); units != 0 {
			at += units * disk.Unit
			continue
		}
		e, _, err := s.shape.NextEntry(entries[at:])
		if err != nil {
			break // the file changed after the check
		}
		at += int64(len(e))
	}
	return 0, false
}

// firstDirectoryRow returns the index of the first directory row whose point is not less than point. It has no branch
// on row contents, so that the processor can start the next lookup early.
func firstDirectoryRow(dir []byte, point int32) (row int) {
	const size = disk.DirectoryRowSize
	rows := words.ViewOf(dir)
	at := uint64(0)
	n := uint64(len(dir) / size)
	for n > 1 {
		half := n / 2
		at += half * size & beforeMask(rows.Uint32(at+(half-1)*size), point)
		n -= half
	}
	if n == 1 {
		at += size & beforeMask(rows.Uint32(at), point)
	}
	return int(at / size)
}

func beforeMask(row uint32, point int32) uint64 {
	return uint64((int64(int32(row)) - int64(point)) >> 63)
}

func (p Profile) entryOfRow(data section, dir []byte, i int, point int32) (Entry, bool) {
	if i >= disk.DirectoryLen(dir) {
		runtime.KeepAlive(p.s)
		return Entry{}, false
	}
	at, offset := disk.DirectoryRow(dir, i)
	if at != point || offset >= int64(len(data.trained)) {
		runtime.KeepAlive(p.s)
		return Entry{}, false
	}
	return data.entryAt(p, int(offset))
}

// Points iterates over the data entries at a profile point.
func (p Profile) Points(point int32) iter.Seq[Entry] {
	return func(yield func(Entry) bool) { p.yieldAtPoint(point, yield) }
}

func (p Profile) yieldAtPoint(point int32, yield func(Entry) bool) {
	if p.s == nil {
		return
	}
	data, dir := p.dataEntries()
	if len(dir) == 0 {
		for e := range p.Entries() {
			if e.Point() == point && !yield(e) {
				return
			}
		}
		return
	}
	for i := firstDirectoryRow(dir, point); ; i++ {
		e, ok := p.entryOfRow(data, dir, i, point)
		if !ok || !yield(e) {
			return
		}
	}
}

// An Entry is a profile entry. Accessors of the zero Entry panic.
//
// Accessors for certain tags, such as Branch, return ok because the archive determines the tags. Accessors with an
// index, such as Cell, panic if it is out of range.
type Entry struct {
	s           *Store
	place       extentInFile
	kind        entryKind
	adoptedView words.View // adopted entry; empty if the profile is not adopted
}

// An entryKind has the fields of an entry that most callers need. Apart from it, an Entry is passed in registers.
type entryKind struct {
	tag    layout.Tag
	header uint8  // size of the header in units
	at     uint32 // offset in the section in units
}

// Tag returns the kind of the entry.
func (e Entry) Tag() layout.Tag { return e.kind.tag }

// Point returns the profile point of the entry.
func (e Entry) Point() int32 {
	point := e.trainedBytes().Point()
	runtime.KeepAlive(e.s)
	return point
}

// Sub returns the refinement of the tag of a wide entry; 0 for other entries.
func (e Entry) Sub() layout.Sub {
	sub := e.trainedBytes().Sub()
	runtime.KeepAlive(e.s)
	return sub
}

// Offset returns the offset of the entry from the start of its section, in bytes.
func (e Entry) Offset() int { return int(e.kind.at) * disk.Unit }

// Bytes returns the trained entry in the file. It must not be modified.
func (e Entry) Bytes() []byte            { return e.trainedBytes() }
func (e Entry) trainedBytes() disk.Entry { return e.s.trainedBytes(e.place) }
func (e Entry) isAdopted() bool          { return e.adoptedView != words.View{} }

func (e Entry) liveBytes() []byte {
	if !e.isAdopted() {
		return nil
	}
	return e.s.adoptedBytes(e.place)
}

// Cell returns cell i as a counter, regardless of its kind. It panics unless 0 <= i < Cells(). It is inlined, so that
// callers that only count do not compute the address of the trained cell.
func (e Entry) Cell(i int) Counter {
	header := uint32(e.kind.header)
	if uint(i) >= uint(e.place.units-header) {
		panic(noSuchCell)
	}
	unit := uint64(header) + uint64(i)
	return Counter{e.s, e.s.hit.data.Cell((uint64(e.place.at) + unit) * disk.Unit), e.adoptedView.Word(unit * disk.Unit)}
}

const noSuchCell = "reader: no such cell"

// Cells returns the number of cells.
func (e Entry) Cells() int      { return (e.place.byteSize() - e.headerSize()) / disk.CellSize }
func (e Entry) headerSize() int { return int(e.kind.header) * disk.Unit }

// A Branch has the counts of a conditional branch.
type Branch struct {
	Taken, NotTaken Counter
	Displacement    int64 // distance in bytes to the entry of the branch target
}

// Counter returns the count of a Counter, CallType or Count entry.
func (e Entry) Counter() (c Counter, ok bool) {
	switch e.kind.tag {
	case layout.TagCounter, layout.TagCallType, layout.TagCount:
		if e.Cells() > 0 {
			return e.Cell(0), true
		}
	}
	return Counter{}, false
}

// Branch returns the content of a Branch entry. It also accepts the Successors entry without targets that
// builder.Profile.Branch records in an archive of layout.DomainCustom.
func (e Entry) Branch() (b Branch, ok bool) {
	if e.kind.tag != layout.TagBranch || e.Cells() < 3 {
		return e.customBranch()
	}
	return Branch{e.Cell(0), e.Cell(2), int64(e.Cell(1).Trained())}, true
}

func (e Entry) customBranch() (b Branch, ok bool) {
	if e.kind.tag != layout.TagSuccessors || e.Sub() != layout.SubConditional || e.Cells() != 4 ||
		e.s.Header().Domain != layout.DomainCustom {
		return Branch{}, false
	}
	taken := disk.PackSuccessor(0, 0)
	notTaken := disk.PackSuccessor(0, 1)
	switch first, second := e.Cell(0).Trained(), e.Cell(2).Trained(); {
	case first == taken && second == notTaken:
		return Branch{Taken: e.Cell(1), NotTaken: e.Cell(3)}, true
	case first == notTaken && second == taken:
		return Branch{Taken: e.Cell(3), NotTaken: e.Cell(1)}, true
	}
	return Branch{}, false
}

// Bitmap returns the bytes of a Bitmap entry. They are live if the profile is adopted, and valid while e is reachable.
func (e Entry) Bitmap() (b []byte, ok bool) {
	if e.kind.tag != layout.TagBitmap {
		return nil, false
	}
	n := min(e.trainedBytes().Rows(), e.place.byteSize()-disk.WideHeaderSize)
	b = e.currentBytes()[disk.WideHeaderSize:]
	runtime.KeepAlive(e.s)
	return b[:n], true
}

func (e Entry) currentBytes() []byte {
	if e.isAdopted() {
		return e.liveBytes()
	}
	return e.trainedBytes()
}

// Trap returns the method of a SpeculativeTrap entry; zero for other entries.
func (e Entry) Trap() (m Method, err error) {
	if e.kind.tag != layout.TagSpeculativeTrap || e.Cells() < 1 {
		return Method{}, nil
	}
	return e.MethodCell(0)
}
