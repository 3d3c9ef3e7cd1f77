package builder

import (
	"github.com/profarc/profarc/internal/disk"
)

// What the method as a whole has counted and been through.

// Invocations sets the invocation counter.
func (p *Profile) Invocations(n uint64) { p.set64(disk.HasInvocations, n) }

// Backedges sets the backedge counter.
func (p *Profile) Backedges(n uint64) { p.set64(disk.HasBackedges, n) }

// Interpreted sets the number of invocations by the interpreter.
func (p *Profile) Interpreted(n uint64) { p.set64(disk.HasInterpreted, n) }

// Size sets the size in bytes of the method's code and of the VM's own
// MethodData, each 0 if not known.
func (p *Profile) Size(code, host uint32) { p.set32(disk.HasSize, code, host) }

// History is how often compiled code of the method was given up.
type History struct{ Decompiles, OverflowRecompiles, OverflowTraps, TenureTraps uint32 }

// History sets how often compiled code of the method was given up.
func (p *Profile) History(h History) {
	p.set32(disk.HasHistory, h.Decompiles, h.OverflowRecompiles, h.OverflowTraps, h.TenureTraps)
}

// Compile is what the VM's compilers noted of the method.
type Compile struct {
	Level, State, WouldProfile uint8
	Loops, Blocks              uint16
}

// Compile sets what the VM's compilers noted of the method.
func (p *Profile) Compile(c Compile) {
	p.set32(disk.HasCompile, uint32(c.Level)|uint32(c.State)<<8|uint32(c.WouldProfile)<<16, uint32(c.Loops)|uint32(c.Blocks)<<16)
}

// Escape is the result of escape analysis of the arguments, a bit an argument.
type Escape struct{ Flags, Local, Stack, Returned uint64 }

// Escape sets the result of escape analysis.
func (p *Profile) Escape(e Escape) {
	p.set64(disk.HasEscape, e.Flags, e.Local, e.Stack, e.Returned)
}

// TrapHistory sets the number of traps taken, by reason.
func (p *Profile) TrapHistory(byReason []byte) {
	if !p.tooLate() {
		p.parts.putTraps(byReason)
	}
}

// set64 and set32 set a field of a profile that is not done.
func (p *Profile) set64(f disk.Presence, values ...uint64) {
	if !p.tooLate() {
		p.parts.put64(f, values...)
	}
}

func (p *Profile) set32(f disk.Presence, values ...uint32) {
	if !p.tooLate() {
		p.parts.put32(f, values...)
	}
}

// copyField sets a field from its encoded bytes.
func (p *Profile) copyField(f disk.Presence, encoded []byte) {
	if !p.tooLate() {
		field := p.parts.field(f)
		*field = append(*field, encoded...)
	}
}
