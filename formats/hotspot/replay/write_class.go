package replay

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/jvm/classfile"
	"github.com/profarc/profarc/internal/jvm/names"
)

// A replaying VM treats every class without a ciInstanceKlass line as not loaded, and
// fails if a superclass or interface of a loaded class is not loaded. So a class gets a
// record only if its superclasses and interfaces get one.

// Tags of a constant pool in a VM that class files do not have.
const (
	tagNone            = 0 // the second entry of a long or double
	tagUnresolvedClass = 100
)

// baseClass needs no record: every VM has it.
const baseClass = "java/lang/Object"

// A classRecord is a class that will have a ciInstanceKlass line.
type classRecord struct {
	*classfile.File
	initialized bool
}

// needClass adds the record of a class, and reports whether that is possible.
func (w *writer) needClass(class string) (bool, error) {
	if ok, known := w.recorded[class]; known {
		return ok, nil
	}
	c, err := w.path.Class(class)
	if err != nil {
		return false, err
	}
	w.recorded[class] = c != nil
	if c == nil {
		return false, nil
	}
	for _, parent := range parents(c) {
		if ok, err := w.needClass(parent); !ok && (err != nil || parent != baseClass) {
			w.recorded[class] = false
			return false, err
		}
	}
	w.records = append(w.records, &classRecord{File: c})
	return true, nil
}

// parents returns the superclass and the interfaces of a class.
func parents(c *classfile.File) []string {
	if c.Super == "" {
		return c.Interfaces
	}
	return append([]string{c.Super}, c.Interfaces...)
}

// needInitialized is like needClass for a class whose methods were executed.
func (w *writer) needInitialized(class string) (bool, error) {
	ok, err := w.needClass(class)
	for _, r := range w.records {
		if ok && r.Name == class && r.Access&classfile.AccInterface == 0 && !r.initialized {
			r.initialized = true
			_, err := w.needInitialized(r.Super)
			return true, err
		}
	}
	return ok, err
}

// needMentioned adds the records of the classes that a method names.
func (w *writer) needMentioned(c *classfile.File, m classfile.Method) (err error) {
	c.Mentioned(m, func(class string) {
		if _, e := w.needClass(names.Element(class)); e != nil && err == nil {
			err = e
		}
	})
	return err
}

// available reports whether the file has the record of a type, or of the elements of an
// array.
func (w *writer) available(class string) bool {
	element := names.Element(class)
	if element != class && len(element) == 1 && !strings.HasSuffix(class, ";") {
		return true
	}
	return w.recorded[element] || element == baseClass
}

// klassRecord returns the ciInstanceKlass line of a class.
func (w *writer) klassRecord(r *classRecord) klass {
	k := klass{kind: kindKlass, name: r.Name, linked: true, initialized: r.initialized}
	for i, e := range r.Pool[1:] {
		tag := e.Tag
		if tag == classfile.TagClass && !w.resolved(r.File, uint16(i+1)) {
			tag = tagUnresolvedClass
		}
		k.tags = append(k.tags, tag)
	}
	return k
}

// resolved reports whether a Class constant can be resolved when the file is
// replayed.
func (w *writer) resolved(c *classfile.File, i uint16) bool {
	name, err := c.Class(i)
	return err == nil && w.available(name)
}

// readableValue reports whether a VM can read the value of a static field back. A string
// cannot contain quotation marks or backslashes.
func readableValue(value string) bool {
	if !strings.HasPrefix(value, `"`) {
		return true
	}
	text := []byte(value[1 : len(value)-1])
	return bytes.IndexByte(text, '"') < 0 && !strings.Contains(names.Unquote(text), `\`)
}

// resolve finds the method that a call of k in a class executes: in the class, in its
// superclasses, then in the interfaces of all of them. ok is false if there is none.
func (w *writer) resolve(class string, k methodKey) (c *classfile.File, m classfile.Method, ok bool, err error) {
	var interfaces []string
	for name := class; name != ""; name = c.Super {
		if c, err = w.path.Class(name); c == nil || err != nil {
			return nil, m, false, err
		}
		if m, ok = c.Method(k.name, k.signature); ok {
			return c, m, true, nil
		}
		interfaces = append(interfaces, c.Interfaces...)
	}
	for seen := map[string]bool{}; len(interfaces) > 0; interfaces = interfaces[1:] {
		if c, err = w.path.Class(interfaces[0]); c == nil || err != nil || seen[c.Name] {
			continue
		}
		seen[c.Name] = true
		if m, ok = c.Method(k.name, k.signature); ok {
			return c, m, true, nil
		}
		interfaces = append(interfaces, c.Interfaces...)
	}
	return nil, m, false, err
}

// noClass returns the error of a class that must be found.
func noClass(class string) error { return fmt.Errorf("%w: %s", ErrClass, class) }
