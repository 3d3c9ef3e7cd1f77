package report

import (
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// unnamedLoaders names the one of two archives that knows no class loaders while
// the other does, empty if there is none. What PrintMethodData prints has none,
// so that a class of the application is another one there.
func unnamedLoaders(a, b *reader.Store) (string, error) {
	if a.Header().Domain != layout.DomainHotSpot {
		return "", nil
	}
	inA, err := a.NamesLoaders()
	if err != nil {
		return "", err
	}
	inB, err := b.NamesLoaders()
	switch {
	case err != nil || inA == inB:
		return "", err
	case inA:
		return b.Mapping().Name(), nil
	}
	return a.Mapping().Name(), nil
}

// CompareLoaders notes what is not known of the class loaders of two archives.
func (r *Diff) CompareLoaders(a, b *reader.Store) (err error) {
	r.Loaders = []LoaderDoubt{}
	if r.NoLoaders, err = unnamedLoaders(a, b); err != nil || r.NoLoaders != "" || a.Header().Domain != layout.DomainHotSpot {
		return err
	}
	inA, err := a.Loaders()
	if err != nil {
		return err
	}
	inB, err := b.Loaders()
	r.Loaders = loaderDoubts(inA, inB)
	return err
}

// A LoaderDoubt is a name that class loaders have in two runs, where it is not
// known which loader of one is which of the other.
type LoaderDoubt struct {
	Loader   string   `json:"loader"`
	A        []string `json:"a"` // identities that it stands for
	B        []string `json:"b"`
	Numbered bool     `json:"numbered"` // matched by number alone; else none is the same
}

// loaderDoubts holds the class loaders of two runs against each other.
func loaderDoubts(a, b []string) []LoaderDoubt {
	inA, inB := byLoaderName(a), byLoaderName(b)
	doubts := []LoaderDoubt{}
	for _, name := range slices.Sorted(maps.Keys(inA)) {
		d := LoaderDoubt{Loader: name, A: inA[name], B: inB[name]}
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

// byLoaderName sorts identities, which are in order, by the names in them.
func byLoaderName(identities []string) map[string][]string {
	all := map[string][]string{}
	for _, identity := range identities {
		name := disk.LoaderName(identity)
		all[name] = append(all[name], identity)
	}
	return all
}
