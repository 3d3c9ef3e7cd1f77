// Package pprof writes pprof's profile.proto, compressed by gzip, for go tool pprof and
// other readers.
//
// Sampled stacks become samples of the type samples/count. Counters become one sample with
// one frame for each method, of types as "invocations/count" or "cycles/count", see
// stacks.Counters. The other values of a sample are 0. The calling contexts of instrumented
// profiles are summed and not written as stacks, since they are inlining paths. No value is
// a time.
package pprof
