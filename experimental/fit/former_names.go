package fit

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/javanames"
)

func (c *checker) sameButRenamed(was, is []methodcode.Name) bool {
	return len(was) > 0 && slices.EqualFunc(was, is,
		func(a, b methodcode.Name) bool { return a == b || c.renamedMember(a, b) })
}

// renamedMember reports whether a class or member was renamed. Either its classes were renamed, or its class declares
// the new name instead of the old one.
func (c *checker) renamedMember(was, is methodcode.Name) bool {
	now := methodcode.Name{Class: c.renames.presentClass(was.Class), Name: was.Name,
		Descriptor: mapClasses(was.Descriptor, c.renames.presentClass)}
	if now == is {
		return true
	}
	if now.Class != is.Class || now.Descriptor != is.Descriptor || was.Class == "" {
		return false
	}
	other := methodcode.Name{Class: was.Class, Name: is.Name, Descriptor: was.Descriptor}
	return declaresOnly(c.o.Old, was, other) && declaresOnly(c.against, is, now)
}

func declaresOnly(code Code, one, other methodcode.Name) bool {
	m, ok := code.(methodcode.Members)
	if !ok {
		return false
	}
	has, known1 := m.Declares(one)
	hasOther, known2 := m.Declares(other)
	return known1 && known2 && has && !hasOther
}

type formerNames struct {
	classes map[string]string
	methods map[methodcode.Name]string
}

func newFormerNames(r *renames) *formerNames {
	f := &formerNames{map[string]string{}, map[methodcode.Name]string{}}
	for was, is := range r.classes {
		f.classes[is] = was
	}
	for i := range r.list {
		if was, is := r.list[i].From, r.list[i].To; was.Name != "" {
			f.methods[methodcode.Name{Class: is.Class, Name: is.Name, Descriptor: is.Signature}] = was.Name
		}
	}
	return f
}

func (f *formerNames) formerName(n methodcode.Name) methodcode.Name {
	return methodcode.Name{Class: f.formerClass(n.Class), Name: cmp.Or(f.methods[n], n.Name),
		Descriptor: mapClasses(n.Descriptor, f.formerClass)}
}

func (f *formerNames) formerClass(name string) string { return mapClass(f.classes, name) }

// mapClass returns the other name of a class or array of a class, or the same name if it has no other.
func mapClass(others map[string]string, name string) string {
	if strings.HasPrefix(name, "[") {
		return mapClasses(name, func(class string) string { return mapClass(others, class) })
	}
	return cmp.Or(others[name], name)
}

// underFormerNames sets the sketches of the program's points under the names in the profiles.
func (c *checker) underFormerNames(versions []methodcode.Version) {
	if len(c.renames.list) == 0 && len(c.renames.classes) == 0 {
		return
	}
	if c.former == nil {
		c.former = newFormerNames(&c.renames)
	}
	for i := range versions {
		if versions[i].Under == nil {
			continue
		}
		sketch := versions[i].Under(c.former.formerName)
		for k := range versions[i].Points {
			if k < len(sketch) {
				versions[i].Points[k].Former = &sketch[k]
			}
		}
	}
}

func mapClasses(descriptor string, to func(class string) string) string {
	var b strings.Builder
	for piece, class := range javanames.Pieces(descriptor) {
		if class {
			piece = to(piece)
		}
		b.WriteString(piece)
	}
	return b.String()
}

// differingClasses returns the pairs of classes that differ in two descriptors; ok is false if anything else differs.
func differingClasses(a, b string) (pairs [][2]string, ok bool) {
	if a == b {
		return nil, true
	}
	next, stop := iter.Pull2(javanames.Pieces(b))
	defer stop()
	for p, class := range javanames.Pieces(a) {
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
