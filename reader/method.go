package reader

import (
	"iter"

	"github.com/profarc/profarc/layout"
)

// A Name is text of the archive, in place.
type Name struct{}

// String copies the text.
func (n Name) String() string { return "" }

// Len is its length in bytes.
func (n Name) Len() int { return 0 }

// Equal compares it with s, without copying.
func (n Name) Equal(s string) bool { return false }

// AppendTo appends the text to b.
func (n Name) AppendTo(b []byte) []byte { return b }

// A Method is a method of the archive. The zero Method is none.
type Method struct{}

// Valid reports whether m is a method.
func (m Method) Valid() bool { return false }

// ID is the method's id.
func (m Method) ID() uint64 { return 0 }

// Ref is the place of the method's record.
func (m Method) Ref() layout.Narrow { return 0 }

// Flags are the method's flags.
func (m Method) Flags() layout.MethodFlags { return 0 }

// NeverRan reports whether the method was seen and never ran.
func (m Method) NeverRan() bool { return false }

// Access is the access flags as in a class file, 0 if not known.
func (m Method) Access() uint32 { return 0 }

// Key is the method's key, copied.
func (m Method) Key() (layout.Key, error) { return layout.Key{}, nil }

// Name is the method's name, or LLVM's PGO name.
func (m Method) Name() (Name, error) { return Name{}, nil }

// Signature is the method's signature; it is empty if the domain has none.
func (m Method) Signature() (Name, error) { return Name{}, nil }

// Class is the declaring class; ok is false if the domain has none.
func (m Method) Class() (t Type, ok bool, err error) { return Type{}, false, nil }

// AnyCode asks for the profile of whatever version of the code there is.
const AnyCode = 0

// A Frame is one caller in a calling context: where, in which method, the call
// stands.
type Frame struct {
	Caller Method
	Point  int32
}

// Profile looks the profile up for a version of the code (AnyCode if there is
// only one) in a calling context, the direct caller first. It gives the profile
// with the longest context that is a prefix of frames, down to the one without
// a context, and the number of frames that it took. Without frames it allocates
// nothing. The error matches ErrNotFound if there is none, or ErrAmbiguous if
// AnyCode was asked for and there are several versions.
func (m Method) Profile(code uint64, frames ...Frame) (p Profile, depth int, err error) {
	return Profile{}, 0, nil
}

// Profiles goes through all profiles of the method: those without a context
// first, then by context; by code id within.
func (m Method) Profiles() iter.Seq2[Profile, error] { return nil }

// Contexts goes through the nodes of the method's calling contexts, parents
// before children.
func (m Method) Contexts() iter.Seq2[Context, error] { return nil }

// A Context is a node of a method's calling contexts.
type Context struct{}

// Depth is the number of frames.
func (c Context) Depth() int { return 0 }

// Frames gives the frames, the direct caller first.
func (c Context) Frames() ([]Frame, error) { return nil, nil }
