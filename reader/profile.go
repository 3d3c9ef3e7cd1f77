package reader

import (
	"iter"

	"github.com/profarc/profarc/layout"
)

// A Profile is one MethodData. The zero Profile is none.
type Profile struct{}

// Valid reports whether p is a profile.
func (p Profile) Valid() bool { return false }

// Ref is the place of the block.
func (p Profile) Ref() layout.Narrow { return 0 }

// Block is the trained block as it lies in the file. It must not be written to,
// and is valid while p is reachable.
func (p Profile) Block() layout.Block { return nil }

// Method is the method that the profile is of.
func (p Profile) Method() (Method, error) { return Method{}, nil }

// Code is the id of the code that the profile is of, 0 if it is not known.
func (p Profile) Code() uint64 { return 0 }

// Context is the calling context; ok is false if the profile holds for every
// caller.
func (p Profile) Context() (c Context, ok bool, err error) { return Context{}, false, nil }

// Size gives the size in bytes of the method's code and of the VM's own
// MethodData, each 0 if not known.
func (p Profile) Size() (code, host uint32) { return 0, 0 }

// The method's own counters. ok is false if the profile has none.

func (p Profile) Invocations() (c Counter, ok bool) { return Counter{}, false }
func (p Profile) Backedges() (c Counter, ok bool)   { return Counter{}, false }
func (p Profile) Interpreted() (c Counter, ok bool) { return Counter{}, false }

// History is how often compiled code of the method was given up.
type History struct{ Decompiles, OverflowRecompiles, OverflowTraps, TenureTraps uint32 }

// Compile is what the VM's compilers noted of the method.
type Compile struct {
	Level, State, WouldProfile uint8
	Loops, Blocks              uint16
}

// Escape is the result of escape analysis of the arguments, a bit an argument.
type Escape struct{ Flags, Local, Stack, Returned uint64 }

func (p Profile) History() (h History, ok bool) { return History{}, false }
func (p Profile) Compile() (c Compile, ok bool) { return Compile{}, false }
func (p Profile) Escape() (e Escape, ok bool)   { return Escape{}, false }

// TrapHistory is the number of traps by reason, live if the profile is adopted;
// nil if the profile has none.
func (p Profile) TrapHistory() []byte { return nil }

// Entries goes through the data entries in the order of their profile points.
func (p Profile) Entries() iter.Seq[Entry] { return nil }

// Section goes through the entries of any section but the directory.
func (p Profile) Section(s layout.BlockSection) iter.Seq[Entry] { return nil }

// At gives the first data entry at a profile point. It allocates nothing, and
// does not scan where the method has many points.
func (p Profile) At(point int32) (e Entry, ok bool) { return Entry{}, false }

// Points goes through the data entries at one profile point.
func (p Profile) Points(point int32) iter.Seq[Entry] { return nil }

// Adopt claims the profile: the first caller relocates it if need be, all
// others wait for that. It gives the adopted profile, whose counters can be
// counted. The store must have been adopted, otherwise the error matches
// ErrNotAdopted.
func (p Profile) Adopt() (Profile, error) { return Profile{}, nil }

// Adopted reports whether p is an adopted profile.
func (p Profile) Adopted() bool { return false }

// Address is where the adopted block lies, for native code; 0 if p is not
// adopted. It is valid while p is reachable.
func (p Profile) Address() uintptr { return 0 }
