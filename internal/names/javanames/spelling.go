// Package javanames converts names of classes, types and methods between class files, HotSpot and archives.
//
// HotSpot has three forms of a class. Its internal name is java/util/Map$Entry. Its external name, in headers, is
// java.util.Map$Entry. As a type it is printed as 'java/util/Map$Entry', 'java/util/Map$Entry'[] or {type array byte}.
// Archives have the internal name, or the descriptor of an array.
package javanames

import (
	"iter"
	"strings"

	"github.com/profarc/profarc/internal/system/lists"
)

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

func ElementClass(name string) string {
	element := strings.TrimLeft(name, "[")
	if element == name {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(element, "L"), ";")
}

// JavaClass spells a class in Java syntax from its internal or external name. java/util/Map$Entry becomes
// java.util.Map.Entry. Names that a compiler or VM made keep their dollar signs, such as Main$1 and
// Main$$Lambda@Main#0.
func JavaClass(name string) string {
	b := []byte(name)
	for i, c := range b {
		switch {
		case c == '/':
			b[i] = '.'
		case c == '$' && i > 0 && i+1 < len(b) && !isSeparator(b[i-1]) && startsName(b[i+1]):
			b[i] = '.'
		}
	}
	return string(b)
}

func isSeparator(c byte) bool { return c == '.' || c == '/' || c == '$' || c == '[' }

func startsName(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80 }

// JavaType spells a type in Java syntax from its archive name or descriptor. [[I becomes int[][]. Both
// Ljava/lang/String; and java/lang/String become java.lang.String.
func JavaType(name string) string {
	element := strings.TrimLeft(name, "[")
	dimensions := len(name) - len(element)
	switch {
	case len(element) == 1 && dimensions > 0 && primitiveNames[element[0]] != "":
		element = primitiveNames[element[0]]
	case len(element) > 2 && element[0] == 'L' && element[len(element)-1] == ';':
		element = JavaClass(element[1 : len(element)-1])
	default:
		element = JavaClass(element)
	}
	return element + strings.Repeat("[]", dimensions)
}

// JavaParameters spells the parameters of a method descriptor in Java syntax. (I[Ljava/lang/String;)V gives "(int,
// String[])", with packages if qualified is true. ok is false if the descriptor is malformed.
func JavaParameters(descriptor string, qualified bool) (text string, ok bool) {
	parameters, _, ok := CutSignature(descriptor)
	if !ok {
		return "", false
	}
	shown := lists.Join(parameters, ", ", func(p string) string { return javaParameter(p, qualified) })
	return "(" + shown + ")", true
}

func javaParameter(descriptor string, qualified bool) string {
	if len(descriptor) == 1 {
		return primitiveNames[descriptor[0]]
	}
	if !qualified {
		descriptor = WithoutPackage(descriptor)
	}
	return JavaType(descriptor)
}

// WithoutPackage removes the package from the name or descriptor of a type. [Ljava/util/Map$Entry; becomes
// [LMap$Entry;.
func WithoutPackage(name string) string {
	element := strings.TrimLeft(name, "[")
	front := name[:len(name)-len(element)]
	if strings.HasSuffix(element, ";") {
		front += "L"
		element = strings.TrimPrefix(element, "L")
	}
	return front + element[strings.LastIndexAny(element, "./")+1:]
}

func Pieces(descriptor string) iter.Seq2[string, bool] {
	return func(yield func(piece string, class bool) bool) {
		for descriptor != "" {
			before, rest, found := strings.Cut(descriptor, "L")
			class, rest, ended := strings.Cut(rest, ";")
			if !found || !ended {
				yield(descriptor, false)
				return
			}
			if !yield(before+"L", false) || !yield(class, true) || !yield(";", false) {
				return
			}
			descriptor = rest
		}
	}
}

// CutType cuts a descriptor after its first type. The first type of a nonempty descriptor is nonempty.
func CutType(descriptor string) (first, rest string) {
	at := len(descriptor) - len(strings.TrimLeft(descriptor, "["))
	length := 1
	if strings.HasPrefix(descriptor[at:], "L") {
		length = strings.IndexByte(descriptor[at:], ';') + 1
		if length == 0 {
			return descriptor, ""
		}
	}
	at = min(at+length, len(descriptor))
	return descriptor[:at], descriptor[at:]
}

// IsReference reports whether a descriptor begins with the type of a class or array.
func IsReference(descriptor string) bool {
	return descriptor != "" && (descriptor[0] == 'L' || descriptor[0] == '[')
}

// GraalSignature converts a method descriptor to GraalVM's spelling. (I[Ljava/lang/String;)V becomes
// void(int,[Ljava.lang.String;). ok is false if the descriptor is malformed.
func GraalSignature(descriptor string) (signature string, ok bool) {
	parameters, result, ok := CutSignature(descriptor)
	if !ok {
		return "", false
	}
	return className(result) + "(" + lists.Join(parameters, ",", className) + ")", true
}

// SplitParameters splits a method descriptor like CutSignature, without checking it.
func SplitParameters(descriptor string) (parameters []string, result string) {
	rest := strings.TrimPrefix(descriptor, "(")
	for rest != "" && rest[0] != ')' {
		var one string
		one, rest = CutType(rest)
		parameters = append(parameters, one)
	}
	return parameters, strings.TrimPrefix(rest, ")")
}

// CutSignature returns the descriptors of parameters and result of a method descriptor. ok is false if it is malformed.
func CutSignature(descriptor string) (parameters []string, result string, ok bool) {
	rest, ok := strings.CutPrefix(descriptor, "(")
	for ok && !strings.HasPrefix(rest, ")") {
		var one string
		one, rest = CutType(rest)
		parameters = append(parameters, one)
		ok = IsType(one) && one != "V"
	}
	if !ok || !IsType(rest[1:]) {
		return nil, "", false
	}
	return parameters, rest[1:], true
}

func IsType(descriptor string) bool {
	element := strings.TrimLeft(descriptor, "[")
	if class, is := strings.CutPrefix(element, "L"); is {
		return strings.IndexByte(class, ';') == len(class)-1 && len(class) > 1
	}
	return len(element) == 1 && primitiveNames[element[0]] != "" && (element != "V" || element == descriptor)
}

var primitiveNames = map[byte]string{'Z': "boolean", 'B': "byte", 'C': "char", 'D': "double", 'F': "float",
	'I': "int", 'J': "long", 'S': "short", 'V': "void"}

func className(descriptor string) string {
	switch descriptor[0] {
	case '[':
		return strings.ReplaceAll(descriptor, "/", ".")
	case 'L':
		return strings.ReplaceAll(ElementClass("["+descriptor), "/", ".")
	}
	return primitiveNames[descriptor[0]]
}
