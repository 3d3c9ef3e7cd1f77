package profileset

import (
	"fmt"
	"math"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/layout"
)

// A Narrow is the header of one of HotSpot's entries, and its section.
type Narrow struct {
	Tag     layout.Tag
	Bci     int32
	Flags   layout.EntryFlags
	Traps   layout.EntryTraps
	Section disk.BlockSection
}

// AddNarrow adds one of HotSpot's entries. fill sets its cells. length is the value of its CellLength, if it has one.
func (p *Recording) AddNarrow(n Narrow, length int, fill func(e disk.Entry)) {
	if !p.domainHolds(n.Tag, n.Bci) {
		return
	}
	if n.Bci < 0 || n.Bci > math.MaxUint16 {
		p.Fail(fmt.Errorf("%w: a %s entry at bci %d: those of HotSpot are 0 to %d", layout.ErrTooLarge, n.Tag, n.Bci,
			math.MaxUint16))
		return
	}
	cells := p.Shape().Cells(n.Tag, length)
	p.Add(n.Section, cells, func(b []byte) ([]byte, disk.Entry) {
		return disk.NewEntry(b, n.Tag, n.Flags, uint16(n.Bci), n.Traps, cells)
	}, fill)
}

// A Wide is the header of an entry of the archive format, as opposed to an entry with HotSpot's narrow header.
type Wide struct {
	Tag   layout.Tag
	Sub   layout.Sub
	Flags layout.EntryFlags
	Point int32
}

// AddWide adds one of this format's entries to the data section. fill sets its cells.
func (p *Recording) AddWide(w Wide, rows int, fill func(e disk.Entry)) {
	if !p.domainHolds(w.Tag, w.Point) {
		return
	}
	cells := disk.Shape{}.Cells(w.Tag, rows)
	p.Add(disk.SectionData, cells, func(b []byte) ([]byte, disk.Entry) {
		return disk.NewWide(b, w.Tag, w.Flags, w.Sub, w.Point, cells, rows)
	}, fill)
}

// domainHolds reports whether archives of the domain can hold entries with this tag. Otherwise it fails the profile,
// since text exported from the archive could not be read back.
func (p *Recording) domainHolds(tag layout.Tag, point int32) bool {
	d := p.b.Domain
	if disk.HoldsTag(d, tag) {
		return true
	}
	p.Fail(fmt.Errorf("%w: a %s entry at point %d in an archive of domain %s, which has %v", ErrDomain, tag, point, d,
		disk.HeldTags(d)))
	return false
}

// SetReceivers sets the cells of one of HotSpot's type profiles. These are the count of other types, the count in the
// gap, and n rows.
func (p *Recording) SetReceivers(e disk.Entry, other, gap uint64, n int, row func(i int) (TypeRef, uint64)) {
	shape := p.Shape()
	if n > shape.TypeRows {
		p.Fail(fmt.Errorf("bci %d: %d receiver rows, the settings have %d: set Params of the config, which "+
			"builder.HotSpotParams returns", e.Point(), n, shape.TypeRows))
		return
	}
	e.SetCell(0, other)
	if shape.Gap > 0 {
		e.SetCell(1, gap)
	} else if gap != 0 {
		p.Fail(fmt.Errorf("bci %d: a count of %d where the settings have no cell", e.Point(), gap))
	}
	for i := range n {
		typ, count := row(i)
		e.SetCell(shape.ReceiverRow(i), p.TypeCell(typ))
		e.SetCell(shape.ReceiverRow(i)+1, count)
	}
}

// SetTypeList sets the cells of a list of types, and the cell with their number. cells are pairs of a stack slot and a
// type word. The word of a return value comes last.
func (p *Recording) SetTypeList(e disk.Entry, cells []uint64) {
	methoddata.SetTypeList(p.Shape(), e, cells)
}

// TypeWordCell returns the cell for the type profile of one value. several is set if the value had several types.
func (p *Recording) TypeWordCell(t TypeRef, nullSeen, several bool) uint64 {
	v := p.TypeCell(t)
	if nullSeen {
		v |= disk.TypeNullSeen
	}
	if several {
		v |= disk.TypeUnknown
	}
	return v
}

// Copy adds an entry with all of its cells, empty rows, flags and traps. e must be exactly one entry of the set's
// shape. A wide entry must be added to the data section. refs returns the reference that replaces each pointer cell, a
// MethodRef for a CellMethod and a TypeRef otherwise, or 0. The tags of type words are kept.
func (p *Recording) Copy(section disk.BlockSection, e disk.Entry, refs func(cell int, kind disk.CellKind) uint64) {
	one, rest, err := p.Shape().NextEntry(e)
	if err != nil || len(rest) > 0 || disk.IsWide(one.Tag()) && section != disk.SectionData {
		p.Fail(fmt.Errorf("%d bytes that are not one entry of the settings (%v)", len(e), err))
		return
	}
	if !p.domainHolds(one.Tag(), one.Point()) {
		return
	}
	p.AddCopy(section, e, func(stored disk.Entry) { p.copyPointers(stored, refs) })
}

// AddCopy appends a copy of an entry to a section. fill changes its cells.
func (p *Recording) AddCopy(section disk.BlockSection, e disk.Entry, fill func(stored disk.Entry)) {
	p.Add(section, e.Cells(), func(b []byte) ([]byte, disk.Entry) {
		at := len(b)
		b = append(b, e...)
		return b, disk.Entry(b[at:])
	}, fill)
}

func (p *Recording) copyPointers(e disk.Entry, refs func(cell int, kind disk.CellKind) uint64) {
	for cell, kind := range p.Shape().Pointers(e) {
		v := p.PointerCell(kind, refs(cell, kind))
		if kind == disk.CellTypeWord {
			v |= e.Cell(cell) & disk.TypeTags
		}
		e.SetCell(cell, v)
	}
}

func (p *Recording) PointerCell(kind disk.CellKind, ref uint64) uint64 {
	switch {
	case ref > math.MaxUint32:
		p.Fail(fmt.Errorf("%d is not a reference", ref))
		return 0
	case kind == disk.CellMethod:
		return p.MethodCell(MethodRef(ref))
	}
	return p.TypeCell(TypeRef(ref))
}

// CodeSize is the size in bytes of a method's code and of the VM's own MethodData. 0 means unknown.
type CodeSize struct{ Code, Host uint32 }

func (p *Recording) SetSize(s CodeSize) { p.Put32(disk.HasSize, s.Code, s.Host) }

// Optional fields of HotSpot's profiles.
type (
	History     = disk.History
	Compilation = disk.Compile
	Escape      = disk.Escape
)

func (p *Recording) SetHistory(h History) {
	p.Put32(disk.HasHistory, h.Decompiles, h.OverflowRecompiles, h.OverflowTraps, h.TenureTraps)
}

func (p *Recording) SetCompilation(c Compilation) {
	p.Put32(disk.HasCompile, uint32(c.Level)|uint32(c.State)<<8|uint32(c.WouldProfile)<<16,
		uint32(c.Loops)|uint32(c.Blocks)<<16)
}

func (p *Recording) SetEscape(e Escape) {
	p.Put64(disk.HasEscape, e.Flags, e.Local, e.Stack, e.Returned)
}

// AddUndecoded adds the words of HotSpot's data section that begin with the header of the first entry with an unknown
// tag. The size of that entry is unknown, so the words extend to the end of the section. point is the bci in that
// header. A merge sets disk.EntryOneOf. Readers keep and show such a profile, but never adopt it.
func (p *Recording) AddUndecoded(point int32, flags layout.EntryFlags, words ...uint64) {
	p.AddWide(Wide{Tag: disk.TagUndecoded, Flags: flags, Point: point}, len(words), func(e disk.Entry) {
		for i, w := range words {
			e.SetCell(i, w)
		}
	})
}

// AddArgInfo adds an extra entry with one word per argument, which is nonzero if the method modifies it.
func (p *Recording) AddArgInfo(modified ...uint64) {
	head := Narrow{Tag: layout.TagArgInfo, Section: disk.SectionExtra}
	p.AddNarrow(head, len(modified), func(e disk.Entry) {
		e.SetCell(0, uint64(len(modified)))
		for i, m := range modified {
			e.SetCell(1+i, m)
		}
	})
}

type TypeSlot struct {
	Stack    uint64
	Type     TypeRef // 0 if no type was seen
	NullSeen bool
	Several  bool // more than one type was seen
}

func (p *Recording) AddParameters(slots ...TypeSlot) {
	head := Narrow{Tag: layout.TagParametersType, Section: disk.SectionParameters}
	p.AddNarrow(head, 2*len(slots), func(e disk.Entry) {
		cells := make([]uint64, 0, 2*len(slots))
		for _, s := range slots {
			cells = append(cells, s.Stack, p.TypeWordCell(s.Type, s.NullSeen, s.Several))
		}
		p.SetTypeList(e, cells)
	})
}

// AddSpeculativeTrap adds an extra entry for a trap that compiled code of method m took. It ignores the tag and the
// section of head.
func (p *Recording) AddSpeculativeTrap(head Narrow, m MethodRef) {
	head.Tag = layout.TagSpeculativeTrap
	head.Section = disk.SectionExtra
	p.AddNarrow(head, 0, func(e disk.Entry) { e.SetCell(0, p.MethodCell(m)) })
}
