package pages

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitFunction divides the name of a function as profilers of native code spell it: of Go
// the package and, for methods, the type; of C++ and Rust the namespace and the class.
func splitFunction(name string) (in, class string) {
	if in, class = splitScopes(name); in != "" || class != "" {
		return in, class
	}
	plain := name
	if at := strings.IndexAny(name, "<["); at > 0 {
		plain = name[:at] // the rest is arguments of types
	}
	folder := ""
	if at := strings.LastIndexByte(plain, '/'); at >= 0 && !strings.Contains(plain[:at], "(") {
		folder, plain = plain[:at+1], plain[at+1:]
	}
	file, rest, ok := strings.Cut(plain, ".")
	if !ok {
		return "", ""
	}
	if of, _, method := strings.Cut(rest, "."); method && strings.HasPrefix(of, "(") {
		return folder + file, of
	}
	return folder + file, ""
}

// splitFile divides the name of one of LLVM's functions, which begins with the file of a
// function that is local to it: with a semicolon or, up to LLVM 16, a colon after it.
func splitFile(name string) (file, function string) {
	at := strings.IndexByte(name, ';')
	if at < 0 {
		at = strings.IndexByte(name, ':')
	}
	if at <= 0 || strings.ContainsRune(name[:at], '[') {
		return "", name
	}
	return name[:at], name[at+1:]
}

// splitScopes divides the demangled name of a function of C++ or Rust. A name does not say
// which of its scopes are classes: the last one is, if it has arguments of types, begins with
// a capital, or has a constructor.
func splitScopes(name string) (in, class string) {
	scopes := scopesOf(name)
	function := scopes[len(scopes)-1]
	scopes = scopes[:len(scopes)-1]
	if len(scopes) == 0 {
		return "", ""
	}
	last := scopes[len(scopes)-1]
	first, _ := utf8.DecodeRuneInString(last)
	if strings.HasSuffix(last, ">") || unicode.IsUpper(first) || strings.TrimPrefix(function, "~") == last {
		scopes, class = scopes[:len(scopes)-1], last
	}
	return strings.Join(scopes, "::"), class
}

// functionOf returns a demangled name without its scopes and parameters.
func functionOf(name string) string {
	scopes := scopesOf(name)
	return scopes[len(scopes)-1]
}

// scopesOf returns the scopes of a demangled name and at its end the function, without the
// parameters and the type of its result.
func scopesOf(name string) (scopes []string) {
	if inner, ok := implemented(name); ok {
		return inner
	}
	begin, depth := 0, 0
	for i := 0; i < len(name); i++ {
		rest := name[i:]
		switch {
		case depth == 0 && strings.HasPrefix(rest, "operator"):
			return append(scopes, operatorOf(rest))
		case depth == 0 && strings.HasPrefix(rest, "(anonymous namespace)"):
			i += len("(anonymous namespace)") - 1
		case depth == 0 && name[i] == '(' && i > begin:
			return append(scopes, name[begin:i])
		case strings.IndexByte("<([{", name[i]) >= 0:
			depth++
		case strings.IndexByte(">)]}", name[i]) >= 0:
			depth--
		case depth == 0 && name[i] == ' ':
			scopes, begin = nil, i+1 // what was before is the type of the result
		case depth == 0 && strings.HasPrefix(rest, "::"):
			scopes, begin = append(scopes, name[begin:i]), i+2
			i++
		}
	}
	return withArguments(append(scopes, name[begin:]))
}

// withArguments returns scopes with the arguments that Rust divides from their function.
func withArguments(scopes []string) []string {
	last := len(scopes) - 1
	if last < 1 || !strings.HasPrefix(scopes[last], "<") {
		return scopes
	}
	return append(scopes[:last-1], scopes[last-1]+"::"+scopes[last])
}

// operatorOf returns the name of an operator without its parameters.
func operatorOf(text string) string {
	at := strings.IndexByte(strings.TrimPrefix(text, "operator()"), '(')
	if at < 0 {
		return text
	}
	return text[:at+len(text)-len(strings.TrimPrefix(text, "operator()"))]
}

// implemented returns the scopes of a method of Rust that implements a trait: the scopes of the
// type, and the method. ok is false for other names.
func implemented(name string) (scopes []string, ok bool) {
	inner, method, found := strings.Cut(strings.TrimPrefix(name, "<"), ">::")
	if of, _, as := strings.Cut(inner, " as "); as {
		inner = of
	}
	if !found || name == "" || name[0] != '<' || strings.Contains(inner, "<") {
		return nil, false
	}
	return append(scopesOf(strings.TrimLeft(inner, "&*")), method), true
}
