package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/escape"
)

// A loaderDoubt is a name that class loaders have in two runs, where it is not
// known which loader of one is which of the other.
type loaderDoubt struct {
	Loader   string   `json:"loader"`
	A        []string `json:"a"` // identities that it stands for
	B        []string `json:"b"`
	Numbered bool     `json:"numbered"` // matched by number alone; else none is the same
}

// loaderDoubts holds the class loaders of two runs against each other.
func loaderDoubts(a, b []string) []loaderDoubt {
	inA, inB := byLoaderName(a), byLoaderName(b)
	doubts := []loaderDoubt{}
	for _, name := range slices.Sorted(maps.Keys(inA)) {
		d := loaderDoubt{Loader: name, A: inA[name], B: inB[name]}
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

// shownDoubts is how many doubts are told one by one.
const shownDoubts = 5

// printLoaderDoubts says what is not known of the class loaders of two runs.
func printLoaderDoubts(w io.Writer, doubts []loaderDoubt) {
	for _, d := range doubts[:min(len(doubts), shownDoubts)] {
		what := fmt.Sprintf("none of the %d class loaders %s of the one is among the %d of the other", len(d.A), escape.Printable(d.Loader), len(d.B))
		if d.Numbered {
			what = fmt.Sprintf("class loaders %s are the same by number alone, which may be of others in the other run", escape.Printable(d.Loader))
		}
		fmt.Fprintf(w, "\ndoubt: %s\n", what)
	}
	if n := len(doubts) - shownDoubts; n > 0 {
		fmt.Fprintf(w, "\ndoubt: the same of the class loaders of %d more names\n", n)
	}
}
