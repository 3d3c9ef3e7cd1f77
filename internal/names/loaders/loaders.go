// Package loaders lists the class loaders in an archive, and pairs the classes of two archives if only one of them
// names loaders.
package loaders

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// NamesLoaders reports whether the archive has the class loader of any type. Output of PrintMethodData does not have
// it. Its application classes have no loader, or the made-up disk.TwinLoader.
func NamesLoaders(s *reader.Store) (_ bool, err error) {
	for t := range poll.Values(s.Types(), &err) {
		loader, err := t.Loader()
		if err != nil {
			return false, err
		}
		if loader.Len() > 0 && !strings.HasPrefix(loader.String(), disk.TwinLoader) {
			return true, nil
		}
	}
	return false, err
}

// ListIdentities returns the sorted identities of the class loaders of all types, without "".
func ListIdentities(s *reader.Store) ([]string, error) {
	found := map[string]bool{}
	err := eachClass(s, func(_, loader string) { found[loader] = true })
	delete(found, "")
	return slices.Sorted(maps.Keys(found)), err
}

// A Pairing finds classes of one archive in another by name alone, for archives of which only one names class loaders.
// A class with several loaders in either archive has no pair, because its name is ambiguous. The nil Pairing pairs
// nothing.
type Pairing struct {
	only   map[string]string // only loader of each class with one, in the archive that names loaders
	toThem bool              // the second archive names loaders
	// Unnamed is the archive without class loaders.
	Unnamed *reader.Store
}

// PairClasses pairs the classes of two archives. It returns nil if both name class loaders or neither does.
func PairClasses(from, to *reader.Store) (*Pairing, error) {
	if from.Header().Domain != layout.DomainHotSpot {
		return nil, nil
	}
	inFrom, err := NamesLoaders(from)
	if err != nil {
		return nil, err
	}
	inTo, err := NamesLoaders(to)
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

func eachClass(s *reader.Store, yield func(name, loader string)) (err error) {
	for t := range poll.Values(s.Types(), &err) {
		name, errName := t.Name()
		loader, errLoader := t.Loader()
		if err := cmp.Or(errName, errLoader); err != nil {
			return err
		}
		yield(name.String(), loader.String())
	}
	return err
}

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

// A Doubt is a loader name in two runs whose matching is uncertain.
type Doubt struct {
	Loader   string   `json:"loader"`
	A        []string `json:"a"` // identities of loaders with the name in the first run
	B        []string `json:"b"`
	Numbered bool     `json:"numbered"` // only numbered identities match; if false, none matches
}

// FindDoubts compares the class loaders of two runs. The identities must be sorted.
func FindDoubts(a, b []string) []Doubt {
	inA := groupByName(a)
	inB := groupByName(b)
	doubts := []Doubt{}
	for _, name := range slices.Sorted(maps.Keys(inA)) {
		d := Doubt{Loader: name, A: inA[name], B: inB[name]}
		common := 0
		for _, identity := range d.A {
			if _, both := slices.BinarySearch(d.B, identity); both {
				common++
				d.Numbered = d.Numbered || disk.NumberedLoader(identity)
			}
		}
		if len(d.B) > 0 && (common == 0 || d.Numbered) {
			doubts = append(doubts, d)
		}
	}
	return doubts
}

func groupByName(identities []string) map[string][]string {
	all := map[string][]string{}
	for _, identity := range identities {
		name := disk.LoaderName(identity)
		all[name] = append(all[name], identity)
	}
	return all
}
