package iprof

import "strings"

// A signature is spelled "void(int,java.lang.String)": the return type, then
// the parameters. In the name of a type the characters \ , ( ) # have a
// backslash in front of them, and a type without a name is "\-". A method
// without a return type has the signature "", and one that is declared by the
// type without a name begins with "\-.", or "\-#2." by the second of these.

const (
	noName    = `\-`
	noNameEnd = "." // behind the declaring type, if it has no name
	reserved  = `\,()#`
)

// signatureName is how a signature spells the name of a type.
func signatureName(name, number string) string {
	if name == "" {
		return noName + number
	}
	if !strings.ContainsAny(name, reserved) {
		return name + number
	}
	var b strings.Builder
	for i := range len(name) {
		if strings.IndexByte(reserved, name[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(name[i])
	}
	return b.String() + number
}

// splitSignature appends the type names of a signature, as it spells them: the
// return type, then the parameters. ok is false if it is not spelled like one.
func splitSignature(names []string, signature string) (all []string, ok bool) {
	start, inside := 0, false
	for i := 0; i < len(signature); i++ {
		switch c := signature[i]; c {
		case '\\':
			i++
		case '(':
			if inside {
				return names, false
			}
			names = append(names, signature[:i])
			start, inside = i+1, true
		case ',', ')':
			if !inside {
				return names, false
			}
			if c == ',' || i > start {
				names = append(names, signature[start:i])
			}
			start = i + 1
			if c == ')' {
				return names, i == len(signature)-1
			}
		}
	}
	return names, signature == ""
}

// cutNoName cuts the declaring type that has no name off a signature.
func cutNoName(signature string) (class, rest string, ok bool) {
	class, rest, ok = strings.Cut(signature, noNameEnd)
	number, begins := strings.CutPrefix(class, noName)
	if !ok || !begins || strings.Trim(number, "#0123456789") != "" {
		return "", signature, false
	}
	return class, rest, true
}

// cutNumber cuts the number of a method behind its signature off.
func cutNumber(signature string) string {
	end := strings.LastIndexByte(signature, ')') + 1
	if end < len(signature) && signature[end] == numberMark {
		return signature[:end]
	}
	return signature
}
