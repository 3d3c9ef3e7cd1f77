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

// Section iterates over the entries of any section but the directory.
func (p Profile) Section(s disk.BlockSection) iter.Seq[Entry] {
	return func(yield func(Entry) bool) { p.walk(s, yield) }
}

// Shape returns the shape that the archive declares for the entry; ok is false unless its
// tag is the producer's. It must not be changed.
func (e Entry) Shape() (s *layout.EntryShape, ok bool) {
	shapes := e.s.shape.Declared.Shapes()
	at, ok := slices.BinarySearchFunc(shapes, e.kind.tag,
		func(s layout.EntryShape, tag layout.Tag) int { return int(s.Tag) - int(tag) })
	if !ok {
		return nil, false
	}
	return &shapes[at], true
}

func (p Profile) walk(s disk.BlockSection, yield func(Entry) bool) {
	if p.s == nil || s < disk.SectionData || s >= disk.SectionDirectory {
		return
	}
	entries := p.section(s)
	for at := 0; at < len(entries.trained); {
		e, ok := entries.entry(p, at)
		if !ok || !yield(e) {
			break
		}
		at += e.place.size()
	}
	runtime.KeepAlive(p.s)
}

// A section is the entries of one section of a block.
type section struct {
	start   int64 // in the file
	trained []byte
}

func (p Profile) section(s disk.BlockSection) section {
	block := p.block()
	span := block.SectionSpan(s)
	if span.End() > int64(len(block)) {
		return section{}
	}
	return section{p.Ref().Offset() + span.Offset, block[span.Offset:span.End()]}
}

// entry returns the entry at an offset in the section. ok is false only if the file
// was changed since the block was checked.
func (c section) entry(p Profile, at int) (Entry, bool) {
	if rest := c.trained[at:]; len(rest) >= disk.EntryHeaderSize {
		if units := p.s.fixed.Units[rest[0]]; units != 0 && int(units) <= len(rest)/disk.Unit {
			return c.found(p, at, layout.Tag(rest[0]), uint32(units)), true
		}
	}
	return c.measured(p, at)
}

// measured is like entry, for an entry whose size depends on its content.
func (c section) measured(p Profile, at int) (Entry, bool) {
	raw, _, err := p.s.shape.Next(c.trained[at:])
	if err != nil {
		return Entry{}, false
	}
	if disk.IsWide(raw.Tag()) && len(raw) < disk.WideHeaderSize {
		return Entry{}, false
	}
	return c.found(p, at, raw.Tag(), uint32(len(raw)/disk.Unit)), true
}

// found returns the entry of a tag and so many units, which begins at an offset in the section.
func (c section) found(p Profile, at int, tag layout.Tag, units uint32) Entry {
	header := uint8(disk.EntryHeaderSize / disk.Unit)
	if disk.IsWide(tag) {
		header = disk.WideHeaderSize / disk.Unit
	}
	start := c.start + int64(at)
	return Entry{p.s, place{disk.RefOf(start), units}, entryKind{tag, header, uint32(at / disk.Unit)},
		p.live.From(uint64(start - p.Ref().Offset()))}
}

// At returns the first data entry at a profile point. It allocates nothing. Methods of
// many points have a directory, which makes it a binary search.
func (p Profile) At(point int32) (e Entry, ok bool) {
	if p.s == nil {
		return Entry{}, false
	}
	data, dir := p.data()
	if len(dir) != 0 {
		return p.listed(data, dir, firstRow(dir, point), point)
	}
	at, ok := p.s.scan(data.trained, point)
	if !ok {
		runtime.KeepAlive(p.s)
		return Entry{}, false
	}
	return data.entry(p, int(at))
}

// data returns the data entries and the point directory.
func (p Profile) data() (data section, directory []byte) {
	start, entries, directory := p.block().Data()
	return section{p.Ref().Offset() + start, entries}, directory
}

// scan returns where in data entries the first at a point is. It believes the size of
// a wide entry, which was checked.
func (s *Store) scan(entries []byte, point int32) (at int64, ok bool) {
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
		e, _, err := s.shape.Next(entries[at:])
		if err != nil {
			break // the file was changed since the block was checked
		}
		at += int64(len(e))
	}
	return 0, false
}

// firstRow returns the first row of a directory that is not before a point. It has no branch that depends on
// the rows, so that a processor begins the next lookup before this one has ended.
func firstRow(dir []byte, point int32) (row int) {
	const size = disk.DirectoryRowSize
	rows := words.ViewOf(dir)
	at := uint64(0)
	n := uint64(len(dir) / size)
	for n > 1 {
		half := n / 2
		at += half * size & isBefore(rows.Uint32(at+(half-1)*size), point)
		n -= half
	}
	if n == 1 {
		at += size & isBefore(rows.Uint32(at), point)
	}
	return int(at / size)
}

// isBefore returns all bits if a point of a row of a directory is before a point, otherwise 0.
func isBefore(row uint32, point int32) uint64 {
	return uint64((int64(int32(row)) - int64(point)) >> 63)
}

// listed returns the entry of row i of the directory if it is at a point.
func (p Profile) listed(data section, dir []byte, i int, point int32) (Entry, bool) {
	if i >= disk.DirectoryLen(dir) {
		runtime.KeepAlive(p.s)
		return Entry{}, false
	}
	at, offset := disk.DirectoryRow(dir, i)
	if at != point || offset >= int64(len(data.trained)) {
		runtime.KeepAlive(p.s)
		return Entry{}, false
	}
	return data.entry(p, int(offset))
}

// Points iterates over the data entries at one profile point.
func (p Profile) Points(point int32) iter.Seq[Entry] {
	return func(yield func(Entry) bool) { p.atPoint(point, yield) }
}

func (p Profile) atPoint(point int32, yield func(Entry) bool) {
	if p.s == nil {
		return
	}
	data, dir := p.data()
	if len(dir) == 0 {
		for e := range p.Entries() {
			if e.Point() == point && !yield(e) {
				return
			}
		}
		return
	}
	for i := firstRow(dir, point); ; i++ {
		e, ok := p.listed(data, dir, i, point)
		if !ok || !yield(e) {
			return
		}
	}
}

// An Entry is one profile entry. The accessors of the zero Entry panic.
//
// Accessors by kind, such as Branch, return ok, since the archive decides what kinds of
// entries it has. Accessors by number, such as Cell, are for numbers below a length that
// the entry has, here Cells: like an index of a slice, others panic.
type Entry struct {
	s     *Store
	place place
	kind  entryKind
	live  words.View // of the adopted entry; empty if the profile is not adopted
}

// An entryKind holds what most callers ask an entry first. It is a struct of its own so
// that an Entry has few fields and is passed in registers.
type entryKind struct {
	tag    layout.Tag
	header uint8  // in units
	at     uint32 // in its section, in units
}

// Tag returns what the entry records.
func (e Entry) Tag() layout.Tag { return e.kind.tag }

// Point returns the profile point that the entry belongs to.
func (e Entry) Point() int32 {
	point := e.raw().Point()
	runtime.KeepAlive(e.s)
	return point
}

// Sub refines the tag of a wide entry.
func (e Entry) Sub() layout.Sub {
	sub := e.raw().Sub()
	runtime.KeepAlive(e.s)
	return sub
}

// Offset returns where the entry is, in bytes from the start of its section.
func (e Entry) Offset() int { return int(e.kind.at) * disk.Unit }

// Bytes returns the trained entry as it stands in the file. It must not be written to.
func (e Entry) Bytes() []byte { return e.raw() }

func (e Entry) raw() disk.Entry { return e.s.trained(e.place) }

// adopted reports whether the entry is of an adopted profile.
func (e Entry) adopted() bool { return e.live != words.View{} }

// liveBytes returns the adopted entry, nil if the profile is not adopted.
func (e Entry) liveBytes() []byte {
	if !e.adopted() {
		return nil
	}
	return e.s.live(e.place)
}

// Cell returns cell i as a counter, whatever it holds. It panics unless 0 <= i < Cells().
// It is inlined: a caller that only counts does not compute where the trained cell is.
func (e Entry) Cell(i int) Counter {
	header := uint32(e.kind.header)
	if uint(i) >= uint(e.place.units-header) {
		panic(noCell)
	}
	unit := uint64(header) + uint64(i)
	return Counter{e.s, e.s.hit.data.Cell((uint64(e.place.at) + unit) * disk.Unit), e.live.Word(unit * disk.Unit)}
}

// noCell is why a call for a cell panics.
const noCell = "reader: no such cell"

// Cells returns the number of cells.
func (e Entry) Cells() int { return (e.place.size() - e.header()) / disk.CellSize }

func (e Entry) header() int { return int(e.kind.header) * disk.Unit }

// Branch is a conditional branch.
type Branch struct {
	Taken, NotTaken Counter
	Displacement    int64 // to the entry of the target, in bytes
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

// Branch returns the content of a Branch entry, or of the Successors entry of a branch without targets that
// builder.Profile.Branch records in an archive of layout.DomainCustom.
func (e Entry) Branch() (b Branch, ok bool) {
	if e.kind.tag != layout.TagBranch || e.Cells() < 3 {
		return e.customBranch()
	}
	return Branch{e.Cell(0), e.Cell(2), int64(e.Cell(1).Trained())}, true
}

// customBranch returns the counts of two successors that have an index and no point: 0 is taken, 1 is not.
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

// Bitmap returns the bytes of a Bitmap entry, live if the profile is adopted. They
// are valid while e is reachable.
func (e Entry) Bitmap() (b []byte, ok bool) {
	if e.kind.tag != layout.TagBitmap {
		return nil, false
	}
	n := min(e.raw().Rows(), e.place.size()-disk.WideHeaderSize)
	b = e.current()[disk.WideHeaderSize:]
	runtime.KeepAlive(e.s)
	return b[:n], true
}

// current returns the entry's bytes, of the adopted block if there is one.
func (e Entry) current() []byte {
	if e.adopted() {
		return e.liveBytes()
	}
	return e.raw()
}

// Trap returns the method of a SpeculativeTrap entry; it is the zero Method if there is none.
func (e Entry) Trap() (m Method, err error) {
	if e.kind.tag != layout.TagSpeculativeTrap || e.Cells() < 1 {
		return Method{}, nil
	}
	return e.MethodCell(0)
}
