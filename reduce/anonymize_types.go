package reduce

import (
	"strings"

	"github.com/profarc/profarc/layout"
)

// typeName hashes the name of a type as any domain spells it: an array of
// another, as [Lpackage/Name; or package.Name[], a primitive type, or a class.
func (a *Anonymizer) typeName(name string) string {
	element := strings.TrimLeft(name, "[")
	if brackets := name[:len(name)-len(element)]; brackets != "" {
		if anonymous, rest, ok := a.descriptor(element); ok && rest == "" && element[0] != 'V' {
			return brackets + anonymous
		}
		return a.class(name)
	}
	element = name
	for strings.HasSuffix(element, "[]") {
		element = strings.TrimSuffix(element, "[]")
	}
	if primitives[element] || element == "" {
		return name
	}
	return a.class(element) + name[len(element):]
}

var primitives = map[string]bool{"void": true, "boolean": true, "byte": true, "char": true, "short": true,
	"int": true, "long": true, "float": true, "double": true}

// class hashes the name of a class that is not kept.
func (a *Anonymizer) class(name string) string {
	if a.keepsClass(name) {
		return name
	}
	a.mu.Lock()
	hashed, ok := a.known[name]
	a.mu.Unlock()
	if !ok {
		hashed = a.hash(name)
		a.mu.Lock()
		a.known[name] = hashed
		a.mu.Unlock()
	}
	return hashed
}

// keepsClass reports whether a class keeps its name. A hidden class is called
// after its host too, as Foo$$Lambda@Bar#0, and keeps its name if both do.
func (a *Anonymizer) keepsClass(name string) bool {
	for part := range strings.SplitSeq(name, "@") {
		if !a.keeps(part) {
			return false
		}
	}
	return true
}

// signature hashes the classes in a signature: a descriptor, or a list of
// parameters as in void(java.lang.String, int).
func (a *Anonymizer) signature(text string) string {
	if strings.HasPrefix(text, "(") {
		if anonymous, ok := a.methodDescriptor(text); ok {
			return anonymous
		}
	}
	before, rest, ok := strings.Cut(text, "(")
	parameters, after, ok2 := strings.Cut(rest, ")")
	if !ok || !ok2 || after != "" || strings.Contains(parameters, "(") {
		return a.hash(text)
	}
	types := strings.Split(parameters, ",")
	for i, t := range types {
		name := strings.TrimLeft(t, " ")
		types[i] = t[:len(t)-len(name)] + a.typeName(name)
	}
	return a.typeName(before) + "(" + strings.Join(types, ",") + ")"
}

// methodDescriptor hashes the classes in (parameters)return; ok is false if the
// text is nothing of that kind.
func (a *Anonymizer) methodDescriptor(text string) (anonymous string, ok bool) {
	var out strings.Builder
	rest, inside := strings.CutPrefix(text, "(")
	out.WriteByte('(')
	for inside {
		if inside = !strings.HasPrefix(rest, ")"); !inside {
			rest = rest[1:]
			out.WriteByte(')')
		}
		brackets := len(rest) - len(strings.TrimLeft(rest, "["))
		out.WriteString(rest[:brackets])
		anonymous, after, ok := a.descriptor(rest[brackets:])
		if !ok {
			return "", false
		}
		out.WriteString(anonymous)
		rest = after
	}
	return out.String(), rest == "" && text != ""
}

// descriptor hashes the class in the descriptor at the front of text, which is
// of no array.
func (a *Anonymizer) descriptor(text string) (anonymous, rest string, ok bool) {
	switch {
	case text == "":
		return "", "", false
	case strings.IndexByte("BCDFIJSZV", text[0]) >= 0:
		return text[:1], text[1:], true
	case text[0] != 'L':
		return "", "", false
	}
	name, rest, ok := strings.Cut(text[1:], ";")
	if !ok || name == "" || strings.ContainsAny(name, "()[") {
		return "", "", false
	}
	return "L" + a.class(name) + ";", rest, true
}

// whole hashes the parts of JamaicaVM's whole signatures, class.name and a
// descriptor. One that was cut short is hashed as a whole.
func (a *Anonymizer) whole(text string) string {
	k := layout.Key{Name: text}.Split(layout.DomainJamaica)
	descriptor, ok := a.methodDescriptor(k.Signature)
	if k.Class == "" || !ok {
		return a.hash(text)
	}
	if !a.keepsClass(k.Class) {
		k.Name = a.method(k.Name)
	}
	return a.class(k.Class) + "." + k.Name + descriptor
}
