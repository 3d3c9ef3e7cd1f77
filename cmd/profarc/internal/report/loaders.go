package report

import (
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/naming/loaders"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// CompareLoaders lists the class loaders of the two archives whose matching is uncertain.
func (r *Diff) CompareLoaders(a, b *reader.Store) (err error) {
	r.Loaders = []LoaderDoubt{}
	byName, err := loaders.Pair(a, b)
	if byName != nil {
		r.NoLoaders = byName.Unnamed.Mapping().Name()
	}
	if err != nil || byName != nil || a.Header().Domain != layout.DomainHotSpot {
		return err
	}
	inA, err := loaders.List(a)
	if err != nil {
		return err
	}
	inB, err := loaders.List(b)
	r.Loaders = loaderDoubts(inA, inB)
	return err
}

// A LoaderDoubt is a name of class loaders in both runs whose matching is uncertain.
type LoaderDoubt struct {
	Loader   string   `json:"loader"`
	A        []string `json:"a"` // identities of loaders with the name
	B        []string `json:"b"`
	Numbered bool     `json:"numbered"` // only numbered identities are the same; else none is the same
}

// loaderDoubts compares the class loaders of two runs.
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

// byLoaderName groups sorted identities by the loader names in them.
func byLoaderName(identities []string) map[string][]string {
	all := map[string][]string{}
	for _, identity := range identities {
		name := disk.LoaderName(identity)
		all[name] = append(all[name], identity)
	}
	return all
}
