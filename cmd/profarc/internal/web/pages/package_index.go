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

// packageIndex say where methods are: in classes, which are in packages. Domains without classes
// have what divides their names instead: the namespaces of C++ and Rust with their classes,
// the source files of C's static functions, the packages and types of Go.
type packageIndex struct {
	packages []indexedName
	classes  []indexedName
	ofMethod []int32             // the class of each method, in the order of the tally
	classOf  map[[2]string]int32 // by the names of their packages and their own
}

// A place is a package or a class. The class of methods that are directly in a package has no name.
type indexedName struct {
	Name string
	in   int32 // of a class: its package
}

// packageIndexOf returns the places of the methods of the site's archive.
func packageIndexOf(r *request) (*packageIndex, error) {
	return resultOf(r, "the packages of all methods", buildPackageIndex)
}

// hasMethods reports whether the archive has methods of a class; true if that is not known yet.
func (r *request) hasMethods(class string) bool {
	now := *r
	now.patience = min(r.patience, 0) // nothing waits for a link
	where, err := packageIndexOf(&now)
	if err != nil {
		return true
	}
	in, name := splitClass(class)
	_, ok := where.classOf[[2]string{in, name}]
	return ok
}

// A placer finds the places of methods one after the other.
type packageIndexer struct {
	packageIndex
	packageOf map[string]int32
	holders   map[uint32]int32 // classes by the ordinals of types
}

// buildPackageIndex returns the places of all methods. It keeps the names of packages and classes, and four bytes a method.
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

// splitClass divides the name of a class of Java, with slashes or dots. What follows an @ is
// not divided: the host of a hidden class.
func splitClass(name string) (in, class string) {
	dotted := strings.ReplaceAll(name, "/", ".")
	own, _, _ := strings.Cut(dotted, "@")
	if at := strings.LastIndexByte(own, '.'); at >= 0 && at+1 < len(own) {
		return dotted[:at], dotted[at+1:]
	}
	return "", dotted
}

// splitName divides the name of a method that has no class of its own.
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

// splitFunction divides the name of a function as profilers of native code spell it: of Go
// the package and, for methods, the type; of C++ and Rust the namespace and the class.
func splitFunction(name string) (in, class string) {
	in, class = splitScopes(name)
	if in != "" || class != "" {
		return in, class
	}
	plain := name
	if at := strings.IndexAny(name, "<["); at > 0 {
		plain = name[:at] // the rest is arguments of types
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

// splitScopes divides the demangled name of a function of C++ or Rust. A name does not say which of its scopes are
// classes: the last one is, if it has arguments of types, begins with a capital, or has a constructor.
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
			scopes = nil
			begin = i + 1 // what was before is the type of the result
		case depth == 0 && strings.HasPrefix(rest, "::"):
			scopes = append(scopes, name[begin:i])
			begin = i + 2
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
