package reader

import (
	"runtime"

	"github.com/profarc/profarc/internal/disk"
)

// History is how often compiled code of the method was given up.
type History struct{ Decompiles, OverflowRecompiles, OverflowTraps, TenureTraps uint32 }

// Compile is what the VM's compilers noted of the method.
type Compile struct {
	Level, State, WouldProfile uint8
	Loops, Blocks              uint16
}

// Escape is the result of escape analysis of the arguments, a bit an argument.
type Escape struct{ Flags, Local, Stack, Returned uint64 }

// History returns the method's history, live if the profile is adopted. ok is
// false if the profile has none.
func (p Profile) History() (h History, ok bool) {
	f := p.current(disk.HasHistory)
	if f == nil {
		return History{}, false
	}
	h = History{le.Uint32(f), le.Uint32(f[4:]), le.Uint32(f[8:]), le.Uint32(f[12:])}
	runtime.KeepAlive(p.s)
	return h, true
}

// Compile returns the compilers' notes, live if the profile is adopted. ok is
// false if the profile has none.
func (p Profile) Compile() (c Compile, ok bool) {
	f := p.current(disk.HasCompile)
	if f == nil {
		return Compile{}, false
	}
	c = Compile{f[0], f[1], f[2], le.Uint16(f[4:]), le.Uint16(f[6:])}
	runtime.KeepAlive(p.s)
	return c, true
}

// Escape returns the result of escape analysis, live if the profile is adopted.
// ok is false if the profile has none.
func (p Profile) Escape() (e Escape, ok bool) {
	f := p.current(disk.HasEscape)
	if f == nil {
		return Escape{}, false
	}
	e = Escape{le.Uint64(f), le.Uint64(f[8:]), le.Uint64(f[16:]), le.Uint64(f[24:])}
	runtime.KeepAlive(p.s)
	return e, true
}

// TrapHistory is the number of traps by reason, live if the profile is adopted;
// nil if the profile has none. The bytes are valid while p is reachable.
func (p Profile) TrapHistory() []byte {
	f := p.trained(disk.HasTraps)
	if f == nil {
		return nil
	}
	n := int64(le.Uint32(f))
	f = p.current(disk.HasTraps)[8:]
	runtime.KeepAlive(p.s)
	return f[:min(n, int64(len(f)))]
}
