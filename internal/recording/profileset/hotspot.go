package profileset

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

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
