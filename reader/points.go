package reader

import (
	"iter"
	"runtime"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Entries iterates over the data entries in the order of their profile points.
func (p Profile) Entries() iter.Seq[Entry] { return p.Section(layout.SectionData) }

// Section iterates over the entries of any section but the directory.
func (p Profile) Section(s layout.BlockSection) iter.Seq[Entry] {
	return func(yield func(Entry) bool) { p.walk(s, yield) }
}

func (p Profile) walk(s layout.BlockSection, yield func(Entry) bool) {
	if p.s == nil || s < layout.SectionData || s >= layout.SectionDirectory {
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

func (p Profile) section(s layout.BlockSection) section {
	block := p.block()
	span := block.SectionSpan(s)
	if span.End() > int64(len(block)) {
		return section{}
	}
	return section{p.Ref().Offset() + span.Offset, block[span.Offset:span.End()]}
}

// entry returns the entry at an offset in the section. The block was checked; ok
// is false only if the file was changed since.
func (c section) entry(p Profile, at int) (Entry, bool) {
	raw, _, err := p.s.shape.Next(c.trained[at:])
	if err != nil {
		return Entry{}, false
	}
	e := Entry{p.s, place{disk.RefOf(c.start + int64(at)), uint32(len(raw) / disk.Unit)}, at, entryKind{raw.Tag(), p.adopted}}
	if e.kind.tag.Wide() && len(raw) < disk.WideHeaderSize {
		return Entry{}, false
	}
	return e, true
}

// At returns the first data entry at a profile point. It allocates nothing, and
// does not scan where the method has many points.
func (p Profile) At(point int32) (e Entry, ok bool) {
	if p.s == nil {
		return Entry{}, false
	}
	if block := p.block(); block.Presence()&disk.HasDirectory != 0 {
		dir := block.Section(layout.SectionDirectory)
		return p.listed(dir, searchDirectory(dir, point, 0), point)
	}
	data := p.section(layout.SectionData)
	for at := 0; at < len(data.trained); {
		e, ok := data.entry(p, at)
		if !ok {
			break
		}
		if e.Point() == point {
			return e, true
		}
		at += e.place.size()
	}
	runtime.KeepAlive(p.s)
	return Entry{}, false
}

// listed returns the entry of row i of the directory if it is at a point.
func (p Profile) listed(dir []byte, i int, point int32) (Entry, bool) {
	if i >= disk.DirectoryLen(dir) {
		runtime.KeepAlive(p.s)
		return Entry{}, false
	}
	at, offset := disk.DirectoryRow(dir, i)
	data := p.section(layout.SectionData)
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
	dir := p.block().Section(layout.SectionDirectory)
	if len(dir) == 0 {
		for e := range p.Entries() {
			if e.Point() == point && !yield(e) {
				return
			}
		}
		return
	}
	for i := searchDirectory(dir, point, 0); ; i++ {
		e, ok := p.listed(dir, i, point)
		if !ok || !yield(e) {
			return
		}
	}
}
