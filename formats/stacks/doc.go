// Package stacks exports archives to tools for stacks and functions: sampled stacks in
// collapsed form ([WriteFolded]), stacks and counters in package pprof, call counts in
// package lcov.
//
// Sampled stacks and calling contexts look alike but differ. A sampled stack is what a
// thread was doing at a moment: its count measures time. The calling context of an
// instrumented profile is an inlining path, and its count a number of calls: it is never
// exported as a stack with a weight.
//
// Archives are not trusted: damage is an error, and memory is limited by the size of the
// archive.
package stacks
