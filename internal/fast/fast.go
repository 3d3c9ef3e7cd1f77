// Package fast holds what is done for speed alone: MD5 of two names at once,
// prefetching, and radix sorting. Each has a plain way to do the same, and a
// benchmark here measures a whole operation with and without it. What brings less
// than a fifth of its operation does not belong here.
//
//	go test ./internal/fast -run '^$' -bench . -count 5
//
// FIGURES
package fast

// A Technique is one of the ways to be faster.
type Technique int

// The techniques.
const (
	PairedMD5 Technique = iota
	Prefetching
	RadixSorting
	numTechniques
)

// plain says which techniques are left out, for measuring.
var plain [numTechniques]bool

// Without leaves a technique out until restore is called. It is for benchmarks, and
// must not be called while others use this package.
func Without(t Technique) (restore func()) {
	plain[t] = true
	return func() { plain[t] = false }
}
