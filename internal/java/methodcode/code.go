// Package methodcode describes the code of methods for checking profiles. A [Version] has profile points, control flow
// and constants. Class files, live JVMs, archives and the source of Go programs supply it.
package methodcode

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

type Answer struct {
	Presence Presence
	Versions []Version // versions of its code if Present, usually one
	Reason   string    // reason for Presence Unknown, in words
}

// UnknownBecause returns the answer for code of which the presence is unknown for a reason.
func UnknownBecause(reason string) Answer { return Answer{Presence: Unknown, Reason: reason} }

type Presence uint8

// Values of Presence.
const (
	Present  Presence = iota
	NoMethod          // program has the class without the method
	NoClass           // program lacks the class
	Unknown           // Answer.Reason has the reason
)

type Version struct {
	ID   uint64 // code id, as in the archive; 0 if unknown
	Size int    // size in bytes, 0 if unknown
	// Points lists the profile points. If they are unknown, it is nil and Opaque is true.
	Points []Point
	Opaque bool
	// Blocks is the control flow between the points; nil if unknown.
	Blocks []Block
	// Names lists the classes and members in its bytecodes in order; nil if unknown.
	Names []Name
	// Under returns the sketches of its points in order after renaming. It is nil if the names are unknown.
	Under func(other func(Name) Name) []disk.SketchPoint
}

// A Block is a sequence of bytecodes that control enters at the first and leaves after the last.
type Block struct {
	First, End int32 // range of points
	// To lists the successors. A branch has its target and then the next block. A switch has its default and then its
	// cases. A block that leaves the method has none.
	To []int32
	// Throws reports whether the block ends with a throw, Handler whether no block leads to it.
	Throws, Handler bool
	// IfNull is the index in To of the block for a null argument, -1 if the block does not end with such a test.
	IfNull int
}

type PointKind uint8

// Kinds of profile points in HotSpot's bytecodes.
const (
	NoPoint     PointKind = iota
	Call                  // invokestatic, invokespecial, invokedynamic
	VirtualCall           // invokevirtual, invokeinterface
	TypeCheck             // checkcast, instanceof, aastore
	Jump                  // goto, jsr
	Branch                // if...
	Switch                // tableswitch, lookupswitch
	Ret
)

type Point struct {
	Bci  int32
	Kind PointKind
	// Targets are the indices of the first point at or after each target. An index equals the number of points if no point
	// follows, and is negative if the target is unknown. The default of a switch comes first.
	Targets []int32
	// Signature is the descriptor of the called method, "" if unknown. Dynamic reports whether the call is an
	// invokedynamic. They determine whether the VM records types of arguments.
	Signature string
	Dynamic   bool
	// Sketch describes the known parts of the operation and its operands.
	Sketch disk.SketchPoint
	// Former is Sketch under the names in the profiles, nil if it contains no renamed class or method.
	Former *disk.SketchPoint
	// Holder is the static class of a virtual call's receivers; "" if unknown.
	Holder string
	// Labels are the values of a switch's cases after the default. They are nil if unknown or unstable.
	Labels []int32
}

// FormerSketch returns the sketch under the names in the profiles.
func (p *Point) FormerSketch() disk.SketchPoint {
	if p.Former != nil {
		return *p.Former
	}
	return p.Sketch
}

func (p *Point) Known() bool { return p.FormerSketch().What != 0 }

var kindNames = [...]string{"", "call", "virtual call", "type check", "jump", "branch", "switch",
	"return from a subroutine"}

func (k PointKind) String() string { return kindNames[k] }

// Sketched reports whether points of a kind have sketches. A jump has no operands, so the points around it identify it.
func (k PointKind) Sketched() bool { return k != NoPoint && k != Jump && k != Ret }

type Types interface {
	// Assignable reports whether instances of a class are instances of another one. known is false if a class is missing.
	Assignable(class, to string) (is, known bool)
}

// An Inventory is code that can list its classes and methods, for finding renamed ones.
type Inventory interface {
	Method(k layout.Key) (Answer, error)
	// Presence returns the presence of Method. A key without a name is a class, NoMethod if the program has it.
	Presence(k layout.Key) (Presence, error)
	// Classes calls yield with the classes of the program, some possibly twice.
	Classes(yield func(class string) bool)
	Declared(class, loader string) []Declared
}

// A FunctionList lists all functions of a program without classes, for finding renamed ones.
type FunctionList interface {
	Functions(yield func(name string, versions []Version) bool)
}

type Declared struct {
	Name, Signature string
	ID              uint64 // code id
	Size            int    // code size in bytes
}

// A Name is the name in a bytecode's operand.
type Name struct {
	// Class declares the field or method, or is the class itself. It is empty for invokedynamic and constants.
	Class string
	// Name and Descriptor belong to the field, method or dynamic constant. For other constants, Name is the value as text.
	Name, Descriptor string
}

type Members interface {
	// Declares reports whether a class itself declares a field or method; known is false if the class is unreadable.
	Declares(member Name) (is, known bool)
}

// A Source is the source of a program with profiles of domain sampled. Functions have no code ids, so their calls by
// line determine whether a profile fits.
type Source interface {
	// Bodies returns the functions with a name, and whether there are any. There may be several, for other systems or in
	// several programs. NoClass means that the program as a whole lacks the function's package.
	Bodies(name string) ([]Body, Answer)
	// Beside returns the names of all functions in the package of a function.
	Beside(name string) []string
}

type Body interface {
	// Call returns a line that may call callee, counted from the start of the function. It is the given line if possible,
	// else the nearest one; ok is false if no line calls it. sure is false for calls that the source does not spell, such
	// as calls of function variables and of the runtime. Without a callee, ok reports whether the line has code.
	Call(line int32, callee string) (at int32, sure, ok bool)
}
