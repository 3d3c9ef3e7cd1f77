// Package stacks gives an archive to tools that want stacks and functions:
// sampled stacks here and in collapsed form ([WriteFolded]), both in package
// pprof, call counts in package lcov.
//
// Two things in an archive look alike and are not the same. A sampled stack is
// what a thread was doing at a moment: its count is a measure of time. The
// calling context of an instrumented profile is a path of inlining, and its
// count a number of calls: that is never given as a stack with a weight.
//
// Archives are not trusted: what is damaged is an error, and what is read is
// bounded by the size of the archive.
package stacks
