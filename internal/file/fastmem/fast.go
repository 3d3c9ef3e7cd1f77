// Package fastmem has optimizations: prefetching, radix sorting and large pages. Each can be disabled, and a
// benchmark here measures a whole operation with and without it:
//
//	go test ./internal/file/fastmem -run '^$' -bench . -count 5
//
// The operations are a batch of 400,000 lookups by key, and laying out an archive of 400,000 functions. These are
// medians of 5 alternating runs, in milliseconds of processor time on one core of an Intel Xeon:
//
//	operation   technique      with  without  saves
//	lookups     prefetching     186      253    27%
//	layout      prefetching     218      329    34%
//	layout      radix sorting   213      462    54%
//
// Large pages save 15 to 20% of the processor time of an import of 1,000,000 functions (go run ./bench/llvm of commit
// 3f17ca0), which allocates new memory. The benchmark here reuses its memory.
package fastmem

// A Technique is an optimization.
type Technique int

const (
	Prefetching Technique = iota
	RadixSorting
	LargePages
	numTechniques
)

// disabled marks the techniques that a benchmark has disabled.
var disabled [numTechniques]bool

// DisableTechnique disables a technique until restore is called. No other goroutine may use this package meanwhile.
func DisableTechnique(t Technique) (restore func()) {
	disabled[t] = true
	return func() { disabled[t] = false }
}
