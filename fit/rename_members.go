package fit

// A Name is what a bytecode names: a class, a field or method of one, a method
// alone, of a dynamic call, or the text of a constant.
type Name struct{ Class, Name, Descriptor string }

// Members is what a [Code] may know of the fields and methods of its classes.
type Members interface {
	// Declares reports whether a class itself declares a field or method; known is
	// false if the class cannot be read.
	Declares(member Name) (is, known bool)
}

// sameButRenamed reports whether two versions with the same bytecodes name the
// same, some of it under other names.
func (c *checker) sameButRenamed(was, is []Name) bool {
	if len(was) != len(is) || len(was) == 0 {
		return false
	}
	for i := range was {
		if was[i] != is[i] && !c.renamedMember(was[i], is[i]) {
			return false
		}
	}
	return true
}

// renamedMember reports whether a name is that of the same now: its classes have
// other names, or the class declares the new name in the place of the old.
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

// former are the names that the profiles have for what has others now.
type former struct {
	classes map[string]string
	methods map[Name]string
}

// newFormer takes the names of classes and methods that were renamed.
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

// name is the former name of something.
func (f *former) name(n Name) Name {
	if was, ok := f.methods[n]; ok {
		n.Name = was
	}
	return Name{f.class(n.Class), n.Name, mapClasses(n.Descriptor, f.class)}
}

func (f *former) class(name string) string {
	if name != "" && name[0] == '[' {
		return mapClasses(name, f.class)
	}
	if was, ok := f.classes[name]; ok {
		return was
	}
	return name
}

// underFormerNames returns the points of the program the names that the profiles
// have.
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
