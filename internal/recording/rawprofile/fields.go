package rawprofile

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// Size is the size in bytes of the method's code and of the VM's own MethodData, each 0 if not known.
type Size struct{ Code, Host uint32 }

// Size sets the size of the method's code and of the VM's own MethodData.
func (p Profile) Size(s Size) { p.rec().Put32(disk.HasSize, s.Code, s.Host) }

// History is how often compiled code of the method was given up.
type History struct{ Decompiles, OverflowRecompiles, OverflowTraps, TenureTraps uint32 }

// History sets how often compiled code of the method was given up.
func (p Profile) History(h History) {
	p.rec().Put32(disk.HasHistory, h.Decompiles, h.OverflowRecompiles, h.OverflowTraps, h.TenureTraps)
}

// Compile is what the VM's compilers noted of the method.
type Compile struct {
	Level, State, WouldProfile uint8
	Loops, Blocks              uint16
}

// Compile sets what the VM's compilers noted of the method.
func (p Profile) Compile(c Compile) {
	p.rec().Put32(disk.HasCompile, uint32(c.Level)|uint32(c.State)<<8|uint32(c.WouldProfile)<<16,
		uint32(c.Loops)|uint32(c.Blocks)<<16)
}

// Escape is the result of escape analysis of the arguments, a bit an argument.
type Escape struct{ Flags, Local, Stack, Returned uint64 }

// Escape sets the result of escape analysis.
func (p Profile) Escape(e Escape) {
	p.rec().Put64(disk.HasEscape, e.Flags, e.Local, e.Stack, e.Returned)
}

// TrapHistory sets the number of traps taken, by reason.
func (p Profile) TrapHistory(byReason []byte) { p.rec().PutTraps(byReason) }

// Undecoded adds, to an archive of DomainHotSpot, the words of the VM's data section from the header of an
// entry on whose tag nobody here knows, and so neither its size. It stands at the bci in that header, and has
// the flag EntryOneOf after a merge. Such a profile is kept and shown, and never adopted.
func (p Profile) Undecoded(point int32, flags layout.EntryFlags, words ...uint64) {
	p.rec().AddWide(profileset.Wide{Tag: layout.TagUndecoded, Flags: flags, Point: point}, len(words), func(e disk.Entry) {
		for i, w := range words {
			e.SetCell(i, w)
		}
	})
}

// Copy adds an entry cell for cell, with other references; see [profileset.Recording.Copy].
func (p Profile) Copy(section layout.BlockSection, e disk.Entry, refs func(cell int, kind disk.CellKind) uint64) {
	p.rec().Copy(section, e, refs)
}
