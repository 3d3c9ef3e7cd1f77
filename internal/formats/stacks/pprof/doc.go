// Package pprof reads and writes pprof's profile.proto, compressed by gzip, as Go's
// runtime/pprof writes it and go tool pprof and go build read it.
//
// # Reading
//
// [Importer] takes CPU profiles, whose values are samples/count or cpu/nanoseconds, into archives of domain
// sampled. docs/format.md defines what becomes of stacks and edges. A decoder of our own goes through the
// bytes of a profile twice, and through its samples one by one: memory is a small multiple of the profile,
// and for several profiles a multiple of one and of the sum.
//
// The profile is not trusted: its references must resolve, and its stacks must not have
// far more frames than the profile has bytes, which inlined calls could give it.
//
// # Writing
//
// Of an archive of domain sampled, the stacks become samples again, with the lines, files and
// start lines of their functions. Of other archives, sampled stacks become samples of the type
// samples/count. Counters become one sample with one frame for each method, of types as
// "invocations/count" or "cycles/count", see stacks.Counters. The other values of a sample are
// 0. The calling contexts of instrumented profiles are summed and not written as stacks, since
// they are inlining paths. No value of such an archive is a time.
package pprof
