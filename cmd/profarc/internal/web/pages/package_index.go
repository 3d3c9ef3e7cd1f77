package pages

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A packageIndex has the class and the package of each method. In other domains, the
// namespaces and classes of C++ and Rust, the source files of C's static functions, and the packages and types of Go
// take their roles.
type packageIndex struct {
	packages []indexedName
	classes  []indexedName
	ofMethod []int32             // class of each method, in the order of the tally
	classOf  map[[2]string]int32 // class by the name of its package and its bare name
}

// An indexedName is a package or a class. Functions directly in a package belong to a class with an empty name.
type indexedName struct {
	Name string
	in   int32 // package of a class
}

func packageIndexOf(r *request) (*packageIndex, error) {
	return resultOf(r, "the packages of all methods", buildPackageIndex)
}

// hasMethods reports whether the archive has methods of a class. It returns true if the index is still pending.
func (r *request) hasMethods(class string) bool {
	now := *r
	now.patience = min(r.patience, 0) // a link does not wait
	where, err := packageIndexOf(&now)
	if err != nil {
		return true
	}
	in, name := splitClass(class)
	_, ok := where.classOf[[2]string{in, name}]
	return ok
}

// A packageIndexer builds a packageIndex method by method.
type packageIndexer struct {
	packageIndex
	packageOf map[string]int32
	holders   map[uint32]int32 // class by the ordinal of its type
}

// buildPackageIndex indexes all methods. It keeps the names of packages and classes, and four bytes per method.
func buildPackageIndex(ctx context.Context, s *Site, p *Progress) (*packageIndex, error) {
	f := &packageIndexer{packageOf: map[string]int32{}, holders: map[uint32]int32{}}
	f.classOf = map[[2]string]int32{}
	d := s.Archive.Header().Domain
	err := eachMethod(ctx, s.Archive, p, func(m reader.Method) error {
		class, err := f.classOfMethod(d, m)
		f.ofMethod = append(f.ofMethod, class)
		return err
	})
	return &f.packageIndex, err
}

func (f *packageIndexer) classOfMethod(d layout.Domain, m reader.Method) (int32, error) {
	holder, declared, err := m.Class()
	if err != nil {
		return 0, err
	}
	if !declared {
		name, err := m.Name()
		return f.numberClass(splitName(d, name.String())), err
	}
	if known, ok := f.holders[holder.Ordinal()]; ok {
		return known, nil
	}
	name, err := holder.Name()
	class := f.numberClass(splitClass(name.String()))
	f.holders[holder.Ordinal()] = class
	return class, err
}

func (f *packageIndexer) numberClass(in, name string) int32 {
	key := [2]string{in, name}
	if known, ok := f.classOf[key]; ok {
		return known
	}
	home, ok := f.packageOf[in]
	if !ok {
		home = int32(len(f.packages))
		f.packageOf[in], f.packages = home, append(f.packages, indexedName{Name: in})
	}
	f.classOf[key] = int32(len(f.classes))
	f.classes = append(f.classes, indexedName{name, home})
	return f.classOf[key]
}

// splitClass splits the name of a Java class, with slashes or dots, into package and class. It does not split after an
// @, where the host of a hidden class is.
func splitClass(name string) (in, class string) {
	dotted := strings.ReplaceAll(name, "/", ".")
	own, _, _ := strings.Cut(dotted, "@")
	if at := strings.LastIndexByte(own, '.'); at >= 0 && at+1 < len(own) {
		return dotted[:at], dotted[at+1:]
	}
	return "", dotted
}

func splitName(d layout.Domain, name string) (in, class string) {
	switch {
	case d.LLVM():
		file, function := splitFile(name)
		in, class = splitScopes(display.Spelling{}.Function(function))
		if in == "" {
			in = file
		}
		return in, class
	case d == layout.DomainSampled:
		return splitFunction(name)
	}
	method, _, _ := strings.Cut(name, "(")
	if at := strings.LastIndexByte(method, '.'); at > 0 {
		return splitClass(method[:at])
	}
	return "", ""
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

// splitFile splits the name of an LLVM function. A local function's name begins with its file and a semicolon, or a
// colon up to LLVM 16.
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
