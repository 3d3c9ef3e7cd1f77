package program

import (
	"slices"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/formats/hotspot/classfile"
)

const object = "java/lang/Object"

// maxSupertypes bounds the classes that are looked at for one question.
const maxSupertypes = 1000

// Assignable reports whether instances of a class are instances of another one.
// That is not known if a class between the two is not on the class path.
func (c *ClassPath) Assignable(class, to string) (is, known bool) {
	if to == object {
		return true, true
	}
	return c.anySupertype(class, func(name string, _ *classfile.File) bool { return name == to })
}

// HasMember reports whether a class has a field or method, its own or inherited.
// That is not known if a class that it may inherit from is not on the class path.
func (c *ClassPath) HasMember(of fit.Name) (has, known bool) {
	same := func(m classfile.Method) bool { return m.Name == of.Name && m.Signature == of.Descriptor }
	return c.anySupertype(of.Class, func(_ string, file *classfile.File) bool {
		return file != nil && (slices.ContainsFunc(file.Fields, same) || slices.ContainsFunc(file.Methods, same))
	})
}

// anySupertype reports whether something holds for a class or one of its
// supertypes other than Object, of which those that are not on the class path have
// no file.
func (c *ClassPath) anySupertype(class string, holds func(name string, file *classfile.File) bool) (is, known bool) {
	known = true
	seen, work := map[string]bool{object: true}, []string{class}
	for len(work) > 0 {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[name] {
			continue
		}
		seen[name] = true
		file, err := c.path.Class(name)
		if err != nil || len(seen) > maxSupertypes {
			file = nil
		}
		if holds(name, file) {
			return true, true
		}
		if file == nil {
			known = false
			continue
		}
		work = append(append(work, file.Super), file.Interfaces...)
	}
	return false, known
}
