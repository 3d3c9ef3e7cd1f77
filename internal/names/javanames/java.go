package javanames

import "strings"

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

// startsName reports whether a byte can begin a Java name that no compiler made.
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
	for i, p := range parameters {
		parameters[i] = javaParameter(p, qualified)
	}
	return "(" + strings.Join(parameters, ", ") + ")", true
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
