package pages

import (
	"context"
	"strings"
	"sync"

	"github.com/profarc/profarc/internal/naming"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// places say where methods are: in classes, which are in packages. Domains without classes
// have what divides their names instead: the namespaces of C++ and Rust with their classes,
// the source files of C's static functions, the packages and types of Go.
type places struct {
	packages []place
	classes  []place
	ofMethod []int32 // the class of each method, in the order of the tally

	naming sync.Once
	named  map[[2]string]bool // packages and classes, once they are asked for
}

// A place is a package or a class. The class of methods that are directly in a package has no name.
type place struct {
	Name string
	in   int32 // of a class: its package
}

// placed returns the places of the methods of the site's archive.
func placed(r *request) (*places, error) {
	return gather(r, "the packages of all methods", findPlaces)
}

// hasMethods reports whether the archive has methods of a class; true if that is not known yet.
func (r *request) hasMethods(class string) bool {
	now := *r
	now.patience = min(r.patience, 0) // nothing waits for a link
	where, err := placed(&now)
	return err != nil || where.hasClass(splitClass(class))
}

// hasClass reports whether there is a class of a name in a package.
func (p *places) hasClass(in, name string) bool {
	p.naming.Do(func() {
		p.named = map[[2]string]bool{}
		for _, c := range p.classes {
			p.named[[2]string{p.packages[c.in].Name, c.Name}] = true
		}
	})
	return p.named[[2]string{in, name}]
}

// A placer finds the places of methods one after the other.
type placer struct {
	places
	packageOf map[string]int32
	classOf   map[[2]string]int32
	holders   map[uint32]int32 // classes by the ordinals of types
}

// findPlaces returns the places of all methods. It keeps the names of packages and classes,
// and four bytes a method.
func findPlaces(ctx context.Context, s *Site, p *Progress) (*places, error) {
	f := &placer{packageOf: map[string]int32{}, classOf: map[[2]string]int32{}, holders: map[uint32]int32{}}
	d := s.Archive.Header().Domain
	err := eachMethod(ctx, s.Archive, p, func(m reader.Method) error {
		class, err := f.classOfMethod(d, m)
		f.ofMethod = append(f.ofMethod, class)
		return err
	})
	return &f.places, err
}

func (f *placer) classOfMethod(d layout.Domain, m reader.Method) (int32, error) {
	holder, declared, err := m.Class()
	if err != nil {
		return 0, err
	}
	if !declared {
		name, err := m.Name()
		return f.class(splitName(d, name.String())), err
	}
	if known, ok := f.holders[holder.Ordinal()]; ok {
		return known, nil
	}
	name, err := holder.Name()
	class := f.class(splitClass(name.String()))
	f.holders[holder.Ordinal()] = class
	return class, err
}

func (f *placer) class(in, name string) int32 {
	key := [2]string{in, name}
	if known, ok := f.classOf[key]; ok {
		return known
	}
	home, ok := f.packageOf[in]
	if !ok {
		home = int32(len(f.packages))
		f.packageOf[in], f.packages = home, append(f.packages, place{Name: in})
	}
	f.classOf[key] = int32(len(f.classes))
	f.classes = append(f.classes, place{name, home})
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
		if in, class = splitScopes(naming.Spelling{}.Function(function)); in == "" {
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
