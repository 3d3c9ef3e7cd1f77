package rawprofile

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// ArgInfo adds, to the extra entries, which arguments the method modifies.
func (p Profile) ArgInfo(modified ...uint64) {
	head := profileset.Narrow{Tag: layout.TagArgInfo, Section: layout.SectionExtra}
	p.rec().AddNarrow(head, len(modified), func(e disk.Entry) {
		e.SetCell(0, uint64(len(modified)))
		for i, m := range modified {
			e.SetCell(1+i, m)
		}
	})
}

// Parameters sets the types of the method's parameters.
func (p Profile) Parameters(slots ...builder.Slot) {
	head := profileset.Narrow{Tag: layout.TagParametersType, Section: layout.SectionParameters}
	p.rec().AddNarrow(head, 2*len(slots), func(e disk.Entry) {
		cells := make([]uint64, 0, 2*len(slots))
		for _, s := range slots {
			cells = append(cells, s.Stack, p.rec().TypeWordCell(s.Type.Type, s.Type.NullSeen, s.Type.Unknown))
		}
		p.rec().SetTypeList(e, cells)
	})
}

// SpeculativeTrap adds, to the extra entries, a trap that compiled code of method m took at this bci.
func (p Profile) SpeculativeTrap(at builder.At, m builder.MethodRef) {
	head := profileset.Narrow{Tag: layout.TagSpeculativeTrap, Bci: at.Bci, Flags: at.Flags, Traps: at.Traps,
		Section: layout.SectionExtra}
	p.rec().AddNarrow(head, 0, func(e disk.Entry) { e.SetCell(0, p.rec().MethodCell(m)) })
}
