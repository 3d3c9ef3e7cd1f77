package pages

import (
	"context"
	"strings"

	"github.com/profarc/profarc/internal/names/origins"
	"github.com/profarc/profarc/internal/names/scopes"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A packageIndex has the class and the package of each method. In other domains, the namespaces and classes of C++ and
// Rust, the source files of C's static functions, and the packages and types of Go take their roles.
type packageIndex struct {
	packages []indexedName
	classes  []indexedName
	origins  []origins.Origin    // by package
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
	for _, in := range f.packages {
		f.origins = append(f.origins, origins.Of(d, in.Name))
	}
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
	if d.LLVM() || d == layout.DomainSampled {
		return scopes.Split(d, name)
	}
	method, _, _ := strings.Cut(name, "(")
	if at := strings.LastIndexByte(method, '.'); at > 0 {
		return splitClass(method[:at])
	}
	return "", ""
}
