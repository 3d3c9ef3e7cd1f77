// Package loaders lists the class loaders that an archive names, and pairs the classes of
// two archives when only one names them.
package loaders

import (
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Known reports whether the archive knows the class loader of any type. What comes from PrintMethodData does
// not: a class of the application has no loader there, or one that was made up (disk.TwinLoader).
func Known(s *reader.Store) (bool, error) {
	for t, err := range s.Types() {
		if err != nil {
			return false, err
		}
		loader, err := t.Loader()
		if err != nil {
			return false, err
		}
		if loader.Len() > 0 && !strings.HasPrefix(loader.String(), disk.TwinLoader) {
			return true, nil
		}
	}
	return false, nil
}

// List returns the identities of the class loaders of all types, in order, without the empty one.
func List(s *reader.Store) ([]string, error) {
	found := map[string]bool{}
	last := ""
	for t, err := range s.Types() {
		if err != nil {
			return nil, err
		}
		loader, err := t.Loader()
		if err != nil {
			return nil, err
		}
		if identity := loader.String(); identity != last && identity != "" {
			found[identity] = true
			last = identity
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// A Pairing finds the classes of one archive in another if only one of the two names class
// loaders: by their names. A class that has several loaders in either is in no pair, since
// its name does not say which one is meant. The nil Pairing pairs nothing.
type Pairing struct {
	only   map[string]string // loader of each class that has one alone, in the archive that names them
	toThem bool              // that archive is the second
	// Unnamed is the archive without class loaders.
	Unnamed *reader.Store
}

// Pair returns the pairing of the classes of one archive with those of another, nil if both
// name class loaders or neither does.
func Pair(from, to *reader.Store) (*Pairing, error) {
	if from.Header().Domain != layout.DomainHotSpot {
		return nil, nil
	}
	inFrom, err := Known(from)
	if err != nil {
		return nil, err
	}
	inTo, err := Known(to)
	if err != nil || inFrom == inTo {
		return nil, err
	}
	p := &Pairing{map[string]string{}, inTo, to}
	named := from
	if inTo {
		named, p.Unnamed = to, from
	}
	several := map[string]bool{}
	for _, s := range []*reader.Store{named, p.Unnamed} {
		if err := eachClass(s, func(name, loader string) {
			one, again := p.only[name]
			several[name] = several[name] || again && one != loader && (s == named || loader != "")
			if s == named {
				p.only[name] = loader
			}
		}); err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(p.only, func(name, _ string) bool { return several[name] })
	return p, nil
}

// eachClass calls yield with the name and loader of every type.
func eachClass(s *reader.Store, yield func(name, loader string)) error {
	for t, err := range s.Types() {
		if err != nil {
			return err
		}
		name, err := t.Name()
		if err != nil {
			return err
		}
		loader, err := t.Loader()
		if err != nil {
			return err
		}
		yield(name.String(), loader.String())
	}
	return nil
}

// Loader returns the loader that a class of the first archive has in the second; ok is false
// if it has no pair.
func (p *Pairing) Loader(class, loader string) (other string, ok bool) {
	if p == nil {
		return "", false
	}
	one, alone := p.only[class]
	if p.toThem {
		return one, alone && loader == ""
	}
	return "", alone && one == loader
}
