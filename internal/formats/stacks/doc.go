// Package stacks reads the sampled stacks of archives, and imports and exports them in collapsed form
// ([Importer], [WriteFolded]). Packages below it convert other formats of stacks and functions: pprof CPU
// profiles, perf the output of Linux's perf script, and lcov call counts.
//
// Sampled stacks and calling contexts look alike but differ. A sampled stack is what a thread was doing at a
// moment, and its count measures time. The calling context of an instrumented profile is an inlining path,
// and its count is a number of calls: it is never exported as a stack with a weight.
//
// Archives are not trusted: damage is an error, and memory is limited by the size of the archive.
package stacks
