package fit

// A Name is what a bytecode names: a class, a field or method of one, a method
// alone, of a dynamic call, or the text of a constant.
type Name struct{ Class, Name, Descriptor string }

// Members is what a [Code] may know of the fields and methods that its classes
// have, their own or inherited.
type Members interface {
	// HasMember reports whether a class has a field or method; known is false if
	// that cannot be told.
	HasMember(of Name) (has, known bool)
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
// other names, or the old program lacks the new name and the new program the old.
func (c *checker) renamedMember(was, is Name) bool {
	now := Name{c.renames.class(was.Class), was.Name, mapClasses(was.Descriptor, c.renames.class)}
	if now == is {
		return true
	}
	if now.Class != is.Class || now.Descriptor != is.Descriptor || was.Class == "" {
		return false
	}
	before, ok1 := c.o.Old.(Members)
	after, ok2 := c.against.(Members)
	if !ok1 || !ok2 {
		return false
	}
	had, known1 := before.HasMember(Name{was.Class, is.Name, was.Descriptor})
	has, known2 := after.HasMember(now)
	return known1 && known2 && !had && !has
}
