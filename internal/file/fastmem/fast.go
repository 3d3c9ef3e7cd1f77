// Package fast holds code for speed alone: prefetching, radix sorting, and large pages. Each has a plain way to
// do the same, and a benchmark here measures a whole operation with and without it:
//
//	go test ./internal/file/fastmem -run '^$' -bench . -count 5
//
// The operations are a batch of 400,000 lookups by key, and laying out the archive
// of as many functions. These are medians of 5 runs in turns, in milliseconds of
// processor time on one core of an Intel Xeon:
//
//	operation   technique      with  without  saves
//	lookups     prefetching     186      253    27%
//	layout      prefetching     218      329    34%
//	layout      radix sorting   213      462    54%
//
// Large pages save 15 to 20% of the processor time of an import of 1,000,000 functions
// (go run ./bench/llvm of commit 3f17ca0), where memory is new; a benchmark here uses its memory again.
package fastmem

// A Technique is one of the ways to be faster.
type Technique int

// The techniques.
const (
	Prefetching Technique = iota
	RadixSorting
	LargePages
	numTechniques
)

// plain says which techniques are left out, for measuring.
var disabled [numTechniques]bool

// Without leaves a technique out until restore is called. It is for benchmarks, and
// must not be called while others use this package.
func Without(t Technique) (restore func()) {
	disabled[t] = true
	return func() { disabled[t] = false }
}
