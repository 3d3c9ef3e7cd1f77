package javanames

import "strings"

// JavaClass returns a class as it is written in Java, from its internal or external name:
// java/util/Map$Entry is java.util.Map.Entry. Names that a compiler or VM made keep their
// dollar signs, as in Main$1 and Main$$Lambda@Main#0.
func JavaClass(name string) string {
	b := []byte(name)
	for i, c := range b {
		switch {
		case c == '/':
			b[i] = '.'
		case c == '$' && i > 0 && i+1 < len(b) && !separates(b[i-1]) && startsName(b[i+1]):
			b[i] = '.'
		}
	}
	return string(b)
}

func separates(c byte) bool { return c == '.' || c == '/' || c == '$' || c == '[' }

// startsName reports whether a byte may begin a name of Java, without the signs that compilers use.
func startsName(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80 }

// JavaType returns a type as it is written in Java, from its name in an archive or its descriptor: [[I is
// int[][], and Ljava/lang/String; as well as java/lang/String is java.lang.String.
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

// JavaParameters returns the parameters of a method as they are written in Java, from its
// descriptor: "(int, String[])" of (I[Ljava/lang/String;)V. Packages are left out unless
// qualified is true. ok is false if the text is no descriptor of a method.
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

// WithoutPackage returns the name or descriptor of a type without its package:
// [LMap$Entry; of [Ljava/util/Map$Entry;.
func WithoutPackage(name string) string {
	element := strings.TrimLeft(name, "[")
	front := name[:len(name)-len(element)]
	if strings.HasSuffix(element, ";") {
		front += "L"
		element = strings.TrimPrefix(element, "L")
	}
	return front + element[strings.LastIndexAny(element, "./")+1:]
}
