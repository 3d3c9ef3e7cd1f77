// Package methodcode describes the code of methods as a check of profiles compares it: the profile points of a
// [Version], its control flow, and its constants. Class files, live JVMs, archives and the source of Go programs
// are described so.
package methodcode

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// An Answer is the result of looking up a method in a program.
type Answer struct {
	Presence Presence
	Versions []Version // of its code, if it is present; mostly there is one
	Reason   string    // why Presence is Unknown, for people
}

// A Presence says whether a program has a method.
type Presence uint8

// The presences.
const (
	Present  Presence = iota
	NoMethod          // it has the class, but not the method
	NoClass           // it does not have the class
	Unknown           // see Answer.Reason
)

// A Version is one version of a method's code.
type Version struct {
	ID   uint64 // code id, as in the archive; 0 if not known
	Size int    // in bytes, 0 if not known
	// Points are the profile points; nil, and Opaque, if they are not known.
	Points []Point
	Opaque bool
	// Blocks are the control flow between the points; nil if it is not known.
	Blocks []Block
	// Names are the classes and members that its bytecodes name, in their order; nil if they are not known.
	Names []Name
	// Under returns the sketches of its points under other names, in their order. It is
	// nil if the names are not known.
	Under func(other func(Name) Name) []disk.SketchPoint
}

// A Block is a part of the code that is entered at its first bytecode and left after its last one.
type Block struct {
	First, End int32 // its points
	// To are the blocks after it: of a branch the target and then the next, of a switch the
	// default and the cases. A block that leaves the method has none.
	To []int32
	// Throws is whether it ends with a throw, Handler whether no block leads to it.
	Throws, Handler bool
	// IfNull is the place in To of the block that follows where an argument is null, -1 if the
	// block does not end with such a test.
	IfNull int
}

// A PointKind is the kind of instruction at a profile point.
type PointKind uint8

// The kinds of profile points, of HotSpot's bytecodes.
const (
	Call        PointKind = iota + 1 // a call whose target is fixed
	VirtualCall                      // a call that depends on its receiver
	TypeCheck                        // checkcast, instanceof, aastore
	Jump
	Branch
	Switch
	Ret
)

// A Point is a profile point of a version.
type Point struct {
	Bci  int32
	Kind PointKind
	// Targets are the indices of the first point at or after each target: the number of points if there is
	// none, negative if the target is not known. The default of a switch comes first.
	Targets []int32
	// Signature is the descriptor of the called method, empty if it is not known, and Dynamic is whether the
	// call is an invokedynamic. They decide whether the VM records types of arguments.
	Signature string
	Dynamic   bool
	// Sketch describes the operation and its operands, as far as they are known.
	Sketch disk.SketchPoint
	// Former is Sketch under the names that the profiles use, nil if no class or method in it was renamed.
	Former *disk.SketchPoint
	// Holder is the static class of a virtual call's receivers; empty if it is not known.
	Holder string
	// Labels are the values of a switch's cases after the default; nil if they are not
	// known, or differ in meaning between versions of the code.
	Labels []int32
}

// FormerSketch returns the sketch under the names that the profiles use.
func (p *Point) FormerSketch() disk.SketchPoint {
	if p.Former != nil {
		return *p.Former
	}
	return p.Sketch
}

// Known reports whether a sketch describes the point.
func (p *Point) Known() bool { return p.FormerSketch().What != 0 }

var kindNames = [...]string{"", "call", "virtual call", "type check", "jump", "branch", "switch",
	"return from a subroutine"}

// String returns the name of the kind for people.
func (k PointKind) String() string { return kindNames[k] }

// Sketched reports whether points of a kind have sketches. A jump has no operands:
// it is recognised by the points around it.
func (k PointKind) Sketched() bool { return k != Jump && k != Ret }

// Types is implemented by code that knows the hierarchy of its classes.
type Types interface {
	// Assignable reports whether instances of a class are instances of another one.
	// known is false if a class is missing.
	Assignable(class, to string) (is, known bool)
}

// An Inventory is code that can list its classes and methods, so that missing ones
// can be looked for under other names.
type Inventory interface {
	// Method looks up a method.
	Method(k layout.Key) (Answer, error)
	// Presence returns whether the program has a method, as Method does. A key without
	// a name is of a class. Its presence is NoMethod if the program has the class.
	Presence(k layout.Key) (Presence, error)
	// Classes calls yield with the classes of the program, some perhaps twice.
	Classes(yield func(class string) bool)
	// Declared returns the methods of a class whose code can be read.
	Declared(class, loader string) []Declared
}

// A Declared is a method of a class.
type Declared struct {
	Name, Signature string
	ID              uint64 // code id
	Size            int    // of the code in bytes
}

// A Name is what a bytecode names: a class, a member of a class, the method of a
// dynamic call, which has no class, or the text of a constant.
type Name struct{ Class, Name, Descriptor string }

// Members is implemented by code that knows the fields and methods of its classes.
type Members interface {
	// Declares reports whether a class itself declares a field or method; known is
	// false if the class cannot be read.
	Declares(member Name) (is, known bool)
}
