// Package stacks reads the sampled stacks of archives, and imports and exports them in collapsed form ([Importer],
// [Exporter]). Package pprof below it converts CPU profiles, package perf the output of Linux's perf script, and
// package lcov call counts.
//
// A sampled stack is the state of a thread at a moment, and its count measures time. In contrast, the calling context
// of an instrumented profile is an inlining path, and its count is a number of calls. It is never exported as a stack.
//
// Archives are not trusted. A damaged archive causes an error, and memory is limited by the size of the archive.
package stacks
