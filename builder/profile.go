package builder

import "github.com/profarc/profarc/layout"

// A Profile is being built. Entries of one section may be added in any order;
// data entries are stored by profile point.
type Profile struct{}

// Ref names the profile, for tables.
func (p *Profile) Ref() ProfileRef { return 0 }

// Done hands the profile over to the builder. It must be called once.
func (p *Profile) Done() error { return nil }

// What the method as a whole has counted and been through.

func (p *Profile) Invocations(n uint64)             {}
func (p *Profile) Backedges(n uint64)               {}
func (p *Profile) Interpreted(n uint64)             {}
func (p *Profile) Size(codeBytes, hostBytes uint32) {}
func (p *Profile) History(h History)                {}
func (p *Profile) Compile(c Compile)                {}
func (p *Profile) Escape(e Escape)                  {}
func (p *Profile) TrapHistory(byReason []byte)      {}

// History is how often compiled code of the method was given up.
type History struct{ Decompiles, OverflowRecompiles, OverflowTraps, TenureTraps uint32 }

// Compile is what the VM's compilers noted of the method.
type Compile struct {
	Level, State, WouldProfile uint8
	Loops, Blocks              uint16
}

// Escape is the result of escape analysis of the arguments, a bit an argument.
type Escape struct{ Flags, Local, Stack, Returned uint64 }

// A Row is a type seen, and how often.
type Row struct {
	Type  TypeRef
	Count uint64
}

// A TypeWord is a type profile of one value.
type TypeWord struct {
	Type     TypeRef // 0 for none
	NullSeen bool
	Unknown  bool // several types were seen
}

// A Slot is the type profile of an argument.
type Slot struct {
	Stack uint64 // stack slot
	Type  TypeWord
}

// At is where a HotSpot entry stands and what it has in common with all others.
type At struct {
	Bci   uint16
	Flags uint8  // layout.EntryNullSeen
	Traps uint32 // reason, and layout.EntryTrapRecompiled
	In    layout.BlockSection
}

// A CallTypes is the type profile of a call: arguments, and the return value
// if Return is not nil.
type CallTypes struct {
	Args   []Slot
	Return *TypeWord
}

// A SwitchCase is a case of a MultiBranch entry.
type SwitchCase struct {
	Count        uint64
	Displacement int64
}

// A RetRow is a row of a Ret entry.
type RetRow struct {
	Bci          uint64
	Count        uint64
	Displacement int64
}

// HotSpot's entries. Rows beyond what the settings allow are an error.

func (p *Profile) Bit(at At)                                                             {}
func (p *Profile) Counter(at At, count uint64)                                           {}
func (p *Profile) Jump(at At, taken uint64, displacement int64)                          {}
func (p *Profile) Branch(at At, taken uint64, displacement int64, notTaken uint64)       {}
func (p *Profile) ReceiverType(at At, count, gap uint64, rows ...Row)                    {}
func (p *Profile) VirtualCall(at At, count, gap uint64, rows ...Row)                     {}
func (p *Profile) Ret(at At, count uint64, rows ...RetRow)                               {}
func (p *Profile) MultiBranch(at At, def SwitchCase, cases ...SwitchCase)                {}
func (p *Profile) ArgInfo(modified ...uint64)                                            {}
func (p *Profile) CallType(at At, count uint64, types CallTypes)                         {}
func (p *Profile) VirtualCallType(at At, count, gap uint64, rows []Row, types CallTypes) {}
func (p *Profile) Parameters(slots ...Slot)                                              {}
func (p *Profile) SpeculativeTrap(at At, m MethodRef)                                    {}

// This format's wide entries.

// A Value is a value seen at a site, and how often.
type Value struct{ Value, Count uint64 }

// A Successor is where a branch went, and how often.
type Successor struct {
	Point int32
	Index uint32
	Count uint64
}

// A Callee is a called method, and how often it was called.
type Callee struct {
	Method MethodRef
	Count  uint64
}

func (p *Profile) Counters(point int32, counts ...uint64)                                           {}
func (p *Profile) ValueSite(kind uint16, site int32, values ...Value)                               {}
func (p *Profile) Bitmap(point int32, bits []byte)                                                  {}
func (p *Profile) Successors(point int32, sub uint16, rows ...Successor)                            {}
func (p *Profile) Receivers(point int32, sub uint16, flags uint8, other, traps uint64, rows ...Row) {}
func (p *Profile) Callees(point int32, rows ...Callee)                                              {}
func (p *Profile) Count(point int32, sub uint16, flags uint8, n uint64)                             {}

// Entry adds an entry whose bytes lie elsewhere, for copying archives: cells
// that are pointers hold references instead.
var _ = layout.TagBit
