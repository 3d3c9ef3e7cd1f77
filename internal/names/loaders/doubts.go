package loaders

import (
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
)

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
