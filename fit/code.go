package fit

import "github.com/profarc/profarc/layout"

// Code is a program that profiles are held against.
type Code interface {
	// Method says what the program has of a method.
	Method(k layout.Key) (Answer, error)
}

// An Answer is what a program has of a method.
type Answer struct {
	Presence Presence
	Versions []Version // of its code, if it is present; mostly there is one
	Reason   string    // why that is not known, for people
}

// A Presence says whether a program has a method.
type Presence uint8

// The presences.
const (
	Present  Presence = iota
	NoMethod          // it has the class, but not the method
	NoClass           // it does not have the class
	Unknown           // what can be looked at does not tell; see Answer.Reason
)

// A Version is one version of a method's code.
type Version struct {
	ID   uint64 // code id, as in the archive; 0 if not known
	Size int    // in bytes, 0 if not known
	// Points are the profile points; nil, and Opaque, if they are not known.
	Points []Point
	Opaque bool
	// Names are what its bytecodes name, in their order; nil if that is not known.
	Names []Name
	// Under returns the sketches of its points with other names, in their order; nil
	// if the names are not known.
	Under func(other func(Name) Name) []layout.SketchPoint
}

// A PointKind says what is recorded at a profile point.
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
	// Targets are where it may go, as indices of the first point at or behind
	// the target; the number of points if there is none, negative if that is not
	// known. A switch has its default first.
	Targets []int32
	// Signature is the descriptor of the method that a call calls, empty if it is
	// not known; Dynamic is whether it is an invokedynamic. They decide whether
	// the VM records types of arguments.
	Signature string
	Dynamic   bool
	// Sketch says what it tests, calls or checks, as far as that is known.
	Sketch layout.SketchPoint
	// was is Sketch under the names of the profiles, where classes and methods that
	// it names have others now.
	was *layout.SketchPoint
	// Holder is the class that a virtual call's receivers are of; empty if it is not
	// known.
	Holder string
	// Labels are the values of a switch's cases, behind the default; nil if they
	// are not known, or mean something else in each version of the code.
	Labels []int32
}

// sketch says what a point does, with the names that the profiles have.
func (p *Point) sketch() layout.SketchPoint {
	if p.was != nil {
		return *p.was
	}
	return p.Sketch
}

// known reports whether it is known what a point tests, calls or checks.
func (p *Point) known() bool { return p.sketch().What != 0 }

// Sketched reports whether sketches say anything of points of a kind. A jump has
// no operands: it is recognised by what is around it.
func (k PointKind) Sketched() bool { return k != Jump && k != Ret }

// Types is what a [Code] may know of its classes beside their methods.
type Types interface {
	// Assignable reports whether instances of a class are instances of another
	// one; known is false if that cannot be told.
	Assignable(class, to string) (is, known bool)
}
