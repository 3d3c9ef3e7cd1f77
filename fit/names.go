package fit

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/parse/names"
)

// A Name is what a bytecode names: a class, a member of a class, the method of a
// dynamic call, which has no class, or the text of a constant.
type Name struct{ Class, Name, Descriptor string }

// Members is implemented by a [Code] that knows the fields and methods of its classes.
type Members interface {
	// Declares reports whether a class itself declares a field or method; known is
	// false if the class cannot be read.
	Declares(member Name) (is, known bool)
}

// sameButRenamed reports whether two versions with the same bytecodes name the
// same classes and members, some of them by other names.
func (c *checker) sameButRenamed(was, is []Name) bool {
	return len(was) > 0 && slices.EqualFunc(was, is, func(a, b Name) bool { return a == b || c.renamedMember(a, b) })
}

// renamedMember reports whether a member or class has got another name: its classes
// were renamed, or its class declares the new name in place of the old one.
func (c *checker) renamedMember(was, is Name) bool {
	now := Name{c.renames.class(was.Class), was.Name, mapClasses(was.Descriptor, c.renames.class)}
	if now == is {
		return true
	}
	if now.Class != is.Class || now.Descriptor != is.Descriptor || was.Class == "" {
		return false
	}
	return declaresOnly(c.o.Old, was, Name{was.Class, is.Name, was.Descriptor}) && declaresOnly(c.against, is, now)
}

// declaresOnly reports whether a program declares one member and not another.
func declaresOnly(code Code, one, other Name) bool {
	m, ok := code.(Members)
	if !ok {
		return false
	}
	has, known1 := m.Declares(one)
	hasOther, known2 := m.Declares(other)
	return known1 && known2 && has && !hasOther
}

// former has the names that the profiles use for renamed classes and methods.
type former struct {
	classes map[string]string
	methods map[Name]string
}

func newFormer(r *renames) *former {
	f := &former{map[string]string{}, map[Name]string{}}
	for was, is := range r.classes {
		f.classes[is] = was
	}
	for i := range r.list {
		if was, is := r.list[i].From, r.list[i].To; !r.list[i].OfClass() {
			f.methods[Name{is.Class, is.Name, is.Signature}] = was.Name
		}
	}
	return f
}

// name returns the former name of a class or member.
func (f *former) name(n Name) Name {
	return Name{f.class(n.Class), cmp.Or(f.methods[n], n.Name), mapClasses(n.Descriptor, f.class)}
}

func (f *former) class(name string) string { return mapClass(f.classes, name) }

// mapClass returns the other name of a class, or of an array of a class, if it has one.
func mapClass(others map[string]string, name string) string {
	if strings.HasPrefix(name, "[") {
		return mapClasses(name, func(class string) string { return mapClass(others, class) })
	}
	return cmp.Or(others[name], name)
}

// underFormerNames sets the sketches of the program's points under the names that the profiles use.
func (c *checker) underFormerNames(versions []Version) {
	if len(c.renames.list) == 0 && len(c.renames.classes) == 0 {
		return
	}
	if c.former == nil {
		c.former = newFormer(&c.renames)
	}
	for i := range versions {
		if versions[i].Under == nil {
			continue
		}
		sketch := versions[i].Under(c.former.name)
		for k := range versions[i].Points {
			if k < len(sketch) {
				versions[i].Points[k].was = &sketch[k]
			}
		}
	}
}

// mapClasses puts other classes in the place of those in a descriptor.
func mapClasses(descriptor string, to func(class string) string) string {
	var b strings.Builder
	for piece, class := range names.Pieces(descriptor) {
		if class {
			piece = to(piece)
		}
		b.WriteString(piece)
	}
	return b.String()
}

// differingClasses returns the pairs of classes that differ at the same place of
// two descriptors. ok is false if the descriptors differ in anything else.
func differingClasses(a, b string) (pairs [][2]string, ok bool) {
	if a == b {
		return nil, true
	}
	next, stop := iter.Pull2(names.Pieces(b))
	defer stop()
	for p, class := range names.Pieces(a) {
		q, sameKind, more := next()
		switch {
		case !more || class != sameKind || !class && p != q:
			return nil, false
		case p != q:
			pairs = append(pairs, [2]string{p, q})
		}
	}
	if _, _, more := next(); more {
		return nil, false
	}
	return pairs, true
}
