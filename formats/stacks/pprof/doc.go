// Package pprof writes the profile.proto of pprof, packed by gzip, for
// go tool pprof and all that reads it.
//
// Sampled stacks become samples of the type samples/count. Counters become one
// sample a method, of one frame: types as "invocations/count" or
// "cycles/count", see stacks.Counters. A sample has 0 of the types that it is
// not of. The calling contexts of instrumented profiles are summed up, and not
// given as stacks: they are paths of inlining. Nothing is given as a time.
package pprof
