package program

import (
	"slices"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/jvm/classfile"
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
	known = true
	seen, work := map[string]bool{object: true}, []string{class}
	for len(work) > 0 {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		if name == to {
			return true, true
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		file, err := c.path.Class(name)
		if file == nil || err != nil || len(seen) > maxSupertypes {
			known = false
			continue
		}
		work = append(append(work, file.Super), file.Interfaces...)
	}
	return false, known
}

// Declares reports whether a class itself declares a field or method.
func (c *ClassPath) Declares(m fit.Name) (is, known bool) {
	file, err := c.path.Class(m.Class)
	if file == nil || err != nil {
		return false, false
	}
	same := func(of classfile.Method) bool { return of.Name == m.Name && of.Signature == m.Descriptor }
	return slices.ContainsFunc(file.Fields, same) || slices.ContainsFunc(file.Methods, same), true
}
