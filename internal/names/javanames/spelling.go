package javanames

import "strings"

// InternalName converts the external name of a class to its internal name.
func InternalName(external string) string {
	if at := hiddenAddress(external, '/'); at >= 0 {
		return strings.ReplaceAll(external[:at], ".", "/") + "+" + external[at+1:]
	}
	return strings.ReplaceAll(external, ".", "/")
}

// HiddenInternal returns the internal name for a hidden class's name with a slash before the address, or other names.
func HiddenInternal(name string) string {
	if at := hiddenAddress(name, '/'); at >= 0 {
		return name[:at] + "+" + name[at+1:]
	}
	return name
}

// AppendExternal appends the external name of a class.
func AppendExternal(b []byte, internal string) []byte {
	address := hiddenAddress(internal, '+')
	for i, c := range []byte(internal) {
		switch {
		case i == address:
			c = '/'
		case c == '/':
			c = '.'
		}
		b = append(b, c)
	}
	return b
}

// primitives maps HotSpot's names of array element types to descriptors.
var primitives = map[string]byte{
	"bool": 'Z', "char": 'C', "float": 'F', "double": 'D',
	"byte": 'B', "short": 'S', "int": 'I', "long": 'J',
}

const (
	primitivePrefix = "{type array "
	primitiveSuffix = "}"
	arraySuffix     = "[]"
)

// FromPrinted converts a type in HotSpot's output to its archive name; ok is false if HotSpot prints no such form.
func FromPrinted(spelling string) (name string, ok bool) {
	dimensions := 0
	for strings.HasSuffix(spelling, arraySuffix) {
		spelling = spelling[:len(spelling)-len(arraySuffix)]
		dimensions++
	}
	if element, is := strings.CutPrefix(spelling, primitivePrefix); is {
		element, is = strings.CutSuffix(element, primitiveSuffix)
		code, known := primitives[element]
		return strings.Repeat("[", dimensions+1) + string(rune(code)), is && known
	}
	if len(spelling) < 3 || spelling[0] != '\'' || spelling[len(spelling)-1] != '\'' {
		return "", false
	}
	class := FromModifiedUTF8(spelling[1 : len(spelling)-1])
	if class[0] == '[' { // arrays have another form
		return "", false
	}
	if dimensions == 0 {
		return class, true
	}
	return strings.Repeat("[", dimensions) + "L" + class + ";", true
}

// AppendPrinted appends a type in the form of HotSpot's output. It is the inverse of FromPrinted.
func AppendPrinted(b []byte, name string) []byte {
	element := strings.TrimLeft(name, "[")
	dimensions := len(name) - len(element)
	if dimensions > 0 && len(element) == 1 {
		for spelling, code := range primitives {
			if code == element[0] {
				b = append(append(append(b, primitivePrefix...), spelling...), primitiveSuffix...)
				return append(b, strings.Repeat(arraySuffix, dimensions-1)...)
			}
		}
	}
	if dimensions > 0 && strings.HasPrefix(element, "L") {
		element = strings.TrimSuffix(element[1:], ";")
	}
	b = append(append(append(b, '\''), ToModifiedUTF8(element)...), '\'')
	return append(b, strings.Repeat(arraySuffix, dimensions)...)
}

// ElementClass returns the class of an array's elements, and other names unchanged.
func ElementClass(name string) string {
	element := strings.TrimLeft(name, "[")
	if element == name {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(element, "L"), ";")
}
