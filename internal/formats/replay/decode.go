package replay

import (
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A placedEntry is an entry with the index of its first cell among the words.
type placedEntry struct {
	disk.Entry
	cell int
}

type sections [disk.SectionDirectory][]placedEntry

// split splits the words into the parts of a MethodData: entries in the order of their bytecodes, extra entries and
// free words, parameters, and entries of exception handlers. ok is false if the words are no such parts, or if not all
// pointers, and nothing else, are named.
func (m *methodData) split(shape disk.Shape) (parts sections, ok bool) {
	in, bci, named := disk.SectionData, int32(-1), 0
	for at := 0; at < len(m.words); {
		if in <= disk.SectionExtra && binary.LittleEndian.Uint64(m.words[at:]) == 0 {
			in = disk.SectionExtra
			at += disk.CellSize
			continue
		}
		e, _, err := shape.NextEntry(m.words[at:])
		if err != nil || disk.IsWide(e.Tag()) {
			return parts, false
		}
		in, ok = sectionOf(e, in, bci)
		if !ok {
			return parts, false
		}
		p := placedEntry{e, at/disk.CellSize + 1}
		for cell, kind := range shape.Pointers(e) {
			to, isNamed := m.findPointer(p.cell + cell)
			isUnknown := kind == disk.CellTypeWord && (e.Cell(cell) <= disk.TypeTags || e.Cell(cell)&disk.TypeUnknown != 0)
			switch {
			case isNamed && (kind == disk.CellMethod) == (to.method != nil):
				named++
			case isNamed, e.Cell(cell) != 0 && !isUnknown:
				return parts, false
			}
		}
		parts[in] = append(parts[in], p)
		if at, bci = at+len(e), e.Point(); e.Tag() == layout.TagArgInfo || e.Tag() == layout.TagParametersType {
			in++ // it is the last of its part
		}
	}
	parts.moveTraps()
	return parts, named == len(m.pointers)
}

// sectionOf returns the section of an entry after one at bci in a section. ok is false if it cannot be there.
func sectionOf(e disk.Entry, in disk.BlockSection, bci int32) (section disk.BlockSection, ok bool) {
	switch e.Tag() {
	case layout.TagArgInfo, layout.TagSpeculativeTrap:
		return disk.SectionExtra, in <= disk.SectionExtra
	case layout.TagParametersType:
		return disk.SectionParameters, in == disk.SectionParameters
	case layout.TagBit:
		if in > disk.SectionExtra {
			return disk.SectionHandlers, true
		}
		if in == disk.SectionExtra || e.Point() <= bci {
			return disk.SectionExtra, true
		}
	}
	return disk.SectionData, in == disk.SectionData && e.Point() > bci
}

// moveTraps moves traps after the last data entry to the extra entries, where a VM has them.
func (s *sections) moveTraps() {
	data := s[disk.SectionData]
	n := len(data)
	for n > 0 && data[n-1].Tag() == layout.TagBit {
		n--
	}
	s[disk.SectionExtra] = slices.Concat(data[n:], s[disk.SectionExtra])
	s[disk.SectionData] = data[:n]
}

// inferShape returns the shape that decodes most profiles. sure is false if all decode as many.
func (f *file) inferShape() (best disk.Shape, sure bool) {
	most := -1
	for _, rows := range []int{2, 0, 1, 3, 4, 5, 6, 7, 8} { // the default first
		for _, gap := range []int{0, 1} {
			shape := disk.Shape{TypeRows: rows, BciRows: 2, Gap: gap}
			n := 0
			for i := range f.methods {
				if _, ok := f.methods[i].split(shape); ok {
					n++
				}
			}
			sure = sure || most >= 0 && n != most
			if n > most {
				best, most = shape, n
			}
		}
	}
	return best, sure
}
