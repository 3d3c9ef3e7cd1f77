package disk

// A History counts how often compiled code of a method was discarded, by cause.
type History struct{ Decompiles, OverflowRecompiles, OverflowTraps, TenureTraps uint32 }

// A Compile has the facts that HotSpot's compilers record about a method.
type Compile struct {
	Level, State, WouldProfile uint8
	Loops, Blocks              uint16
}

// An Escape is the result of C2's escape analysis. Bit i of Local, Stack and Returned stands for argument i.
// docs/format.md lists the flags.
type Escape struct{ Flags, Local, Stack, Returned uint64 }

// History returns the history of the method; ok is false if the block has none.
func (b Block) History() (h History, ok bool) {
	f := b.Field(HasHistory)
	if f == nil {
		return History{}, false
	}
	return History{le.Uint32(f), le.Uint32(f[4:]), le.Uint32(f[8:]), le.Uint32(f[12:])}, true
}

// Compile returns the facts recorded by the compilers; ok is false if the block has none.
func (b Block) Compile() (c Compile, ok bool) {
	f := b.Field(HasCompile)
	if f == nil {
		return Compile{}, false
	}
	return Compile{f[0], f[1], f[2], le.Uint16(f[4:]), le.Uint16(f[6:])}, true
}

// Escape returns the result of escape analysis; ok is false if the block has none.
func (b Block) Escape() (e Escape, ok bool) {
	f := b.Field(HasEscape)
	if f == nil {
		return Escape{}, false
	}
	return Escape{le.Uint64(f), le.Uint64(f[8:]), le.Uint64(f[16:]), le.Uint64(f[24:])}, true
}
