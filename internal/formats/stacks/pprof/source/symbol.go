package source

import (
	"strings"

	"github.com/profarc/profarc/internal/system/lazyregexp"
)

// A symbol is a parsed function name of the linker.
type symbol struct {
	pkg     string // import path
	name    string // F, T.M or (*T).M
	closure bool   // the symbol is a closure in this function
}

// inner matches the suffixes of closures and wrappers.
var closureSuffix = lazyregexp.New(`(?:\.func[0-9]+|\.gowrap[0-9]+|\.deferwrap[0-9]+|-range[0-9]+|-fm|\.[0-9]+)`)

// Parts of the symbols of closures for the bodies of loops over functions, and for go and defer statements.
const (
	rangeSuffix = "-range"
	wrapSuffix  = "wrap"
)

// closureKind returns the suffix of a closure's innermost function, "" if the source has it as a function.
func closureKind(name string) string {
	at := max(strings.LastIndex(name, rangeSuffix), strings.LastIndex(name, wrapSuffix), strings.LastIndex(name, ".func"))
	for _, suffix := range []string{rangeSuffix, wrapSuffix} {
		if at >= 0 && strings.HasPrefix(name[at:], suffix) {
			return suffix
		}
	}
	return ""
}

// initNumber matches the numbers of the functions init of a package.
var initNumber = lazyregexp.New(`^init\.[0-9]+(\.|-|$)`)

func parseSymbol(name string) symbol {
	name = removeTypeArguments(name)
	at := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[at:], '.')
	if dot < 0 {
		return symbol{name: name}
	}
	s := symbol{pkg: unescapePath(name[:at+dot]), name: name[at+dot+1:]}
	s.name = initNumber().ReplaceAllString(s.name, "init$1")
	if m := closureSuffix().FindStringIndex(s.name); m != nil {
		s.closure = !strings.HasPrefix(s.name[m[0]:], "-fm")
		s.name = s.name[:m[0]]
	}
	return s
}

func removeTypeArguments(name string) string {
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

// unescapePath replaces the linker's escape of dots in the last element of an import path.
func unescapePath(path string) string { return strings.ReplaceAll(path, "%2e", ".") }

// lastName returns the last name of a function, which calls in the source have.
func (s symbol) lastName() string { return s.name[strings.LastIndexByte(s.name, '.')+1:] }

// hasUnnamedCalls reports whether calls of the function lack its name in the source: the compiler inserts them, or they
// call a function value.
func (s symbol) hasUnnamedCalls() bool {
	return s.closure || s.isOfRuntime() || strings.HasPrefix(s.name, "init")
}

func (s symbol) isOfRuntime() bool {
	return s.pkg == "" || s.pkg == "runtime" || strings.HasPrefix(s.pkg, "runtime/") ||
		strings.HasPrefix(s.pkg, "internal/runtime/") || s.pkg == "type:"
}

// key identifies the function. All closures of a function have one key.
func (s symbol) key() string {
	if s.closure {
		return s.pkg + "." + s.name + ".func"
	}
	return s.pkg + "." + s.name
}

// receiver returns the type of a method.
func (s symbol) receiver() (name string, ok bool) {
	name, _, ok = strings.Cut(strings.TrimPrefix(s.name, "(*"), ".")
	return strings.TrimSuffix(name, ")"), ok
}

// isGenerated reports whether a function is in no source: package initializers, functions of types, cgo's, and C's.
func (s symbol) isGenerated() bool {
	return s.pkg == "" || strings.Contains(s.pkg, ":") || s.name == "init" || strings.HasPrefix(s.name, "map.init") ||
		strings.HasPrefix(s.name, "_C") || strings.HasPrefix(s.name, "_cgo")
}
