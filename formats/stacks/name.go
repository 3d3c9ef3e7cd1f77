package stacks

import (
	"strings"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// unknown is the name of a frame whose method is not known.
const unknown = "[unknown]"

// Named gives the names of methods, each read once.
type Named struct {
	domain layout.Domain
	names  map[layout.Ref]Name
}

// A Name is what a method is called.
type Name struct {
	Class string // of a Java method, with dots; empty if there is none
	File  string // LLVM: source file of a function that is local to it
	Short string // without class and parameters
	// Parameters are in parentheses, with the return type where the domain's
	// signatures end in it; empty if there are none.
	Parameters string
}

// NewNamed makes a Named for the methods of an archive.
func NewNamed(s *reader.Store) *Named {
	return &Named{s.Header().Domain, map[layout.Ref]Name{}}
}

// Of is the name of a method, which may be none.
func (n *Named) Of(m reader.Method) (Name, error) {
	if !m.Valid() {
		return Name{Short: unknown}, nil
	}
	if name, ok := n.names[m.Ref()]; ok {
		return name, nil
	}
	k, err := m.Key()
	if err != nil {
		return Name{}, err
	}
	name := nameOf(n.domain, k)
	n.names[m.Ref()] = name
	return name, nil
}

// nameOf takes a key apart.
func nameOf(d layout.Domain, k layout.Key) (n Name) {
	k = k.Split(d)
	n.Short, n.Parameters = k.Name, k.Signature
	switch {
	case d.LLVM():
		n.File, n.Short = cutFile(k.Name)
	case d == layout.DomainGraal: // the return type stands before the parameters
		if at := strings.IndexByte(n.Parameters, '('); at >= 0 {
			n.Parameters = n.Parameters[at:]
		}
	}
	n.Class = strings.ReplaceAll(k.Class, "/", ".")
	return n
}

// cutFile cuts the file off the PGO name of a local function: it stands before
// a semicolon, or before a colon in older profiles.
func cutFile(name string) (file, function string) {
	if file, function, ok := strings.Cut(name, ";"); ok {
		return file, function
	}
	// Names of Objective-C and Swift may hold colons too; those of files hold a
	// dot before them.
	if at := strings.IndexByte(name, ':'); at > 0 && strings.IndexByte(name[:at], '.') > 0 {
		return name[:at], name[at+1:]
	}
	return "", name
}

// String is class and method, without parameters.
func (n Name) String() string {
	if n.Class == "" {
		return n.Short
	}
	return n.Class + "." + n.Short
}

// Full is class and method with parameters: methods that differ in them alone
// have different names.
func (n Name) Full() string { return n.String() + n.Parameters }
