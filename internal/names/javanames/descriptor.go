package javanames

import (
	"iter"
	"strings"
)

// Pieces yields the class names in a descriptor with class true, and the text between them.
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
	for i, p := range parameters {
		parameters[i] = className(p)
	}
	return className(result) + "(" + strings.Join(parameters, ",") + ")", true
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

// CutSignature splits a method descriptor into those of its parameters and its result. ok is false if it is malformed.
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

// IsType reports whether a text is the descriptor of one type, or V.
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
