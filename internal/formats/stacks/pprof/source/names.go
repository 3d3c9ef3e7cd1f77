package source

import (
	"regexp"
	"strings"
)

// A symbol is the name of a function as the linker spells it, in its parts.
type symbol struct {
	pkg     string // import path
	name    string // within the package: F, T.M or (*T).M
	closure bool   // a function within that
}

// inner are the parts of a name that closures and wrappers add to their function's.
var inner = regexp.MustCompile(`(?:\.func[0-9]+|\.gowrap[0-9]+|\.deferwrap[0-9]+|-range[0-9]+|-fm|\.[0-9]+)`)

// parseSymbol splits the name of a function.
func parseSymbol(name string) symbol {
	name = withoutTypeArguments(name)
	at := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[at:], '.')
	if dot < 0 {
		return symbol{name: name}
	}
	s := symbol{pkg: unescapePath(name[:at+dot]), name: name[at+dot+1:]}
	if m := inner.FindStringIndex(s.name); m != nil {
		s.closure = !strings.HasPrefix(s.name[m[0]:], "-fm")
		s.name = s.name[:m[0]]
	}
	return s
}

// withoutTypeArguments cuts text in brackets.
func withoutTypeArguments(name string) string {
	if !strings.ContainsRune(name, '[') {
		return name
	}
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth = max(depth-1, 0)
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unescapePath undoes the linker's escapes of dots in the last element of an import path.
func unescapePath(path string) string { return strings.ReplaceAll(path, "%2e", ".") }

// last returns the last name of a function, by which calls spell it.
func (s symbol) last() string { return s.name[strings.LastIndexByte(s.name, '.')+1:] }

// unspelled reports whether calls of a function are made by the compiler, or by way of a
// value, so that no line spells them.
func (s symbol) unspelled() bool {
	return s.pkg == "" || s.closure || s.pkg == "runtime" || strings.HasPrefix(s.pkg, "runtime/") ||
		strings.HasPrefix(s.pkg, "internal/runtime/") ||
		s.pkg == "type:" || strings.HasPrefix(s.name, "init")
}
