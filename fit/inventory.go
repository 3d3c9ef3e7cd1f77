package fit

import "github.com/profarc/profarc/layout"

// An Inventory is code that can list what it has, so that what it lacks can be
// looked for under other names.
type Inventory interface {
	Code
	// Presence says whether the program has a method, as Method does. A key
	// without a name is of a class: it is NoMethod if the program has the class.
	Presence(k layout.Key) (Presence, error)
	// Classes calls yield with the classes of the program, some perhaps twice.
	Classes(yield func(class string) bool)
	// Declared are the methods that a class declares and whose code can be read.
	Declared(class, loader string) []Declared
}

// A Declared is a method of a class.
type Declared struct {
	Name, Signature string
	ID              uint64 // code id
	Size            int    // of the code in bytes
}
