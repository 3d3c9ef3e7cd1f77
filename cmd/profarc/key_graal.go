package main

import "strings"

// graalSignature spells a method's descriptor as GraalVM's archives do: of
// (I[Ljava/lang/String;)V it makes void(int,[Ljava.lang.String;).
func graalSignature(descriptor string) (signature string, ok bool) {
	rest, ok := strings.CutPrefix(descriptor, "(")
	var parameters []string
	for ok && !strings.HasPrefix(rest, ")") {
		var name string
		name, rest, ok = cutDescriptor(rest)
		parameters = append(parameters, name)
	}
	if !ok {
		return "", false
	}
	result, rest, ok := cutDescriptor(rest[1:])
	return result + "(" + strings.Join(parameters, ",") + ")", ok && rest == ""
}

var primitiveNames = map[byte]string{'Z': "boolean", 'B': "byte", 'C': "char", 'D': "double", 'F': "float",
	'I': "int", 'J': "long", 'S': "short", 'V': "void"}

// cutDescriptor cuts the first type off and gives its name as Class.getName
// does.
func cutDescriptor(text string) (name, rest string, ok bool) {
	element := strings.TrimLeft(text, "[")
	if element == "" {
		return "", "", false
	}
	size := len(text) - len(element) + 1
	if element[0] == 'L' {
		end := strings.IndexByte(element, ';')
		if end < 2 {
			return "", "", false
		}
		size += end
	} else if primitiveNames[element[0]] == "" {
		return "", "", false
	}
	name, rest = strings.ReplaceAll(text[:size], "/", "."), text[size:]
	switch {
	case name[0] == '[':
	case name[0] == 'L':
		name = name[1 : len(name)-1]
	default:
		name = primitiveNames[name[0]]
	}
	return name, rest, true
}
