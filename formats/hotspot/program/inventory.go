package program

import (
	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/jvm/bytecode"
	"github.com/profarc/profarc/layout"
)

// A class path and a JVM know all methods of the classes that they have.
var (
	_ fit.Inventory = (*ClassPath)(nil)
	_ fit.Inventory = (*Process)(nil)
)

// Presence says whether the class path has a method. Once it was asked of all that
// is to be checked, Method takes classes of a loader none of which is here for
// what the program made, or has elsewhere.
func (c *ClassPath) Presence(k layout.Key) (fit.Presence, error) {
	if c.covered == nil {
		c.covered = map[string]bool{}
	}
	files, err := c.files(k)
	if err != nil {
		return fit.Unknown, nil
	}
	if len(files) == 0 {
		return c.without(k).Presence, nil
	}
	c.covered[k.Loader] = true
	for _, class := range files {
		if _, ok := class.Method(k.Name, k.Signature); ok {
			return fit.Present, nil
		}
	}
	if madeWhileRunning(k.Class) {
		return fit.Unknown, nil
	}
	return fit.NoMethod, nil
}

// Classes calls yield with the classes of the program, some perhaps twice.
func (c *ClassPath) Classes(yield func(class string) bool) { c.path.Names(yield) }

// Declared are the methods with code that a class declares.
func (c *ClassPath) Declared(class, loader string) (all []fit.Declared) {
	files, err := c.files(layout.Key{Class: class, Loader: loader})
	if err != nil {
		return nil
	}
	for _, file := range files {
		for _, m := range file.Methods {
			if len(m.Code) > 0 {
				all = append(all, declared(m.Name, m.Signature, m.Code))
			}
		}
	}
	return all
}

func declared(name, signature string, code []byte) fit.Declared {
	return fit.Declared{Name: name, Signature: signature, ID: bytecode.CodeID(code), Size: len(code)}
}

// Presence says whether the process has a method. Of classes that are not loaded
// nothing is known.
func (p *Process) Presence(k layout.Key) (fit.Presence, error) {
	a, err := p.Method(k)
	return a.Presence, err
}

// Classes yields nothing: a process has not loaded all that the program has.
func (p *Process) Classes(func(class string) bool) {}

// Declared are the methods with code that a loaded class declares.
func (p *Process) Declared(class, loader string) []fit.Declared {
	return p.declared[[2]string{class, loader}]
}
