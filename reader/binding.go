package reader

import (
	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
)

// AdoptOptions say how a store is adopted.
type AdoptOptions struct {
	Base archive.Base // archive.Requested: where the archive asks for, if that is free
	// Eager relocates every profile at once, with several goroutines, instead
	// of each when it is claimed.
	Eager bool
}

// Adopt maps the archive once more for counting in place. It may be called
// once; profiles are then claimed with Profile.Adopt.
func (s *Store) Adopt(o AdoptOptions) error { return nil }

// Adoption says where and how a store was adopted.
type Adoption struct {
	Base        uint64 // address at which the archive lies
	AtRequested bool   // nothing needs relocation
	Claimed     uint64 // profiles claimed so far
	Relocated   uint64 // pointer slots relocated so far
}

// Adoption gives the state of the adoption; ok is false if there is none.
func (s *Store) Adoption() (a Adoption, ok bool) { return Adoption{}, false }

// A Type is a type of the archive, or a late one. The zero Type is none.
type Type struct{}

// Valid reports whether t is a type.
func (t Type) Valid() bool { return false }

// Ordinal is the type's number in its store.
func (t Type) Ordinal() uint32 { return 0 }

// Late reports whether the type is one that the archive does not know, which
// LateType made.
func (t Type) Late() bool { return false }

func (t Type) Name() (Name, error)     { return Name{}, nil }
func (t Type) Loader() (Name, error)   { return Name{}, nil }
func (t Type) Alias() (Name, error)    { return Name{}, nil }
func (t Type) Flags() layout.TypeFlags { return 0 }

// Equal reports whether t and u are the same type of the same store.
func (t Type) Equal(u Type) bool { return false }

// A BindingState says whether a type of the archive exists in this run.
type BindingState uint8

// The states.
const (
	Unbound  BindingState = iota // not loaded yet: must not be acted on
	Bound                        // tied to a class of the embedder
	Excluded                     // will never be loaded, or must not be used
)

// Bind ties a type to the embedder's class, any number but 0 and the highest.
// Binding it again to another class is an error that matches ErrAmbiguous.
func (s *Store) Bind(t Type, class uint64) error { return nil }

// Exclude says that the type must never be acted on.
func (s *Store) Exclude(t Type) error { return nil }

// Binding gives the class that a type is bound to.
func (s *Store) Binding(t Type) (class uint64, state BindingState) { return 0, Unbound }

// LateType makes a type that the archive does not know, so that it can be
// recorded in adopted profiles; called again with the same key it gives the
// same type. A type that the archive knows is given as it is.
func (s *Store) LateType(name, loader string) (Type, error) { return Type{}, nil }

// MaxLateTypes is how many late types a store takes.
const MaxLateTypes = 65536
