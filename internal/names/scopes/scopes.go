// Package scopes splits the names of functions into namespaces, packages, files and types.
package scopes

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
)

// Split returns the package and the class of a function in a domain without classes: the namespace and class of C++ and
// Rust, the package and type of Go, or the file of a local function of LLVM.
func Split(d layout.Domain, name string) (in, class string) {
	if d == layout.DomainSampled {
		return splitFunction(name)
	}
	file, function := splitFile(name)
	in, class = splitScopes(display.Spelling{}.Function(function))
	if in == "" {
		in = file
	}
	return in, class
}

// Bare returns a demangled name without result type and parameters, and without the file of a local function.
func Bare(name string) string {
	_, function := splitFile(name)
	return strings.Join(scopesOf(function), "::")
}

// Function returns the name of a function of LLVM in the spelling for people, without scopes.
func Function(name string) string {
	_, function := splitFile(name)
	all := scopesOf(display.Spelling{}.Function(function))
	return all[len(all)-1]
}

// splitFunction splits the name of a function as native profilers spell it. In Go it returns the package and the type
// of a method. In C++ and Rust it returns the namespace and the class.
func splitFunction(name string) (in, class string) {
	in, class = splitScopes(name)
	if in != "" || class != "" {
		return in, class
	}
	plain := name
	if at := strings.IndexAny(name, "<["); at > 0 {
		plain = name[:at] // the rest are type arguments
	}
	folder := ""
	if at := strings.LastIndexByte(plain, '/'); at >= 0 && !strings.Contains(plain[:at], "(") {
		folder = plain[:at+1]
		plain = plain[at+1:]
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

// SplitLocal splits the name of a local function of LLVM, which begins with its file and a semicolon, or a colon up to
// LLVM 16. Two colons are of a scope, and a bracket before the colon is of a method of Objective-C.
func SplitLocal(name string) (file, function string, ok bool) {
	file, function, ok = strings.Cut(name, ";")
	if !ok {
		file, function, ok = strings.Cut(name, ":")
		ok = ok && !strings.HasPrefix(function, ":") && !strings.Contains(file, "[")
	}
	if !ok || file == "" || function == "" {
		return "", "", false
	}
	return file, function, true
}

// splitFile is SplitLocal with an empty file for other functions.
func splitFile(name string) (file, function string) {
	file, function, ok := SplitLocal(name)
	if !ok {
		return "", name
	}
	return file, function
}

// splitScopes splits the demangled name of a C++ or Rust function. A name does not tell which scopes are classes. The
// last scope is treated as a class if it has type arguments, begins with a capital letter, or has a constructor.
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
		scopes = scopes[:len(scopes)-1]
		class = last
	}
	return strings.Join(scopes, "::"), class
}

// scopesOf returns the scopes of a demangled name followed by the function, without parameters and result type.
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
			scopes = nil
			begin = i + 1 // the text before is the result type
		case depth == 0 && strings.HasPrefix(rest, "::"):
			scopes = append(scopes, name[begin:i])
			begin = i + 2
			i++
		}
	}
	return withArguments(append(scopes, name[begin:]))
}

// withArguments joins a function with its type arguments, which Rust separates by a scope.
func withArguments(scopes []string) []string {
	last := len(scopes) - 1
	if last < 1 || !strings.HasPrefix(scopes[last], "<") {
		return scopes
	}
	return append(scopes[:last-1], scopes[last-1]+"::"+scopes[last])
}

func operatorOf(text string) string {
	at := strings.IndexByte(strings.TrimPrefix(text, "operator()"), '(')
	if at < 0 {
		return text
	}
	return text[:at+len(text)-len(strings.TrimPrefix(text, "operator()"))]
}

// implemented returns the scopes of a Rust method that implements a trait, as the scopes of the type and the method. ok
// is false for other names.
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
