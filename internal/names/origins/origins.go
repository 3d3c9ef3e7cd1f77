// Package origins tells a program's own code from its libraries and its runtime, by the names of packages.
package origins

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/profarc/profarc/layout"
)

// An Origin says who wrote a package: the authors of the program, of a library, or of the language's runtime.
type Origin string

// The origins. A package that is not in the list of this package is the program's own.
const (
	Own     Origin = "own"
	Library Origin = "library"
	Runtime Origin = "runtime"
)

// list has lines with an origin and the names of packages. An origin with go- before it applies to sampled programs
// only, since other languages have packages with the names of Go's.
//
//go:embed origins.txt
var list string

var listed = sync.OnceValue(func() map[string]Origin {
	known := map[string]Origin{}
	for line := range strings.Lines(list) {
		origin, names, _ := strings.Cut(line, " ")
		for _, name := range strings.Fields(names) {
			known[name] = Origin(origin)
		}
	}
	return known
})

// Of returns the origin of a package, a namespace or a folder.
func Of(d layout.Domain, name string) Origin {
	for at := len(name); at > 0; at = strings.LastIndexAny(name[:at], "./:") {
		origin, ok := listed()[strings.TrimRight(name[:at], ":")]
		plain, isGo := strings.CutPrefix(string(origin), "go-")
		if ok && (!isGo || d == layout.DomainSampled) {
			return Origin(plain)
		}
	}
	return Own
}
