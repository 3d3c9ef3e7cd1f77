// Package warmup runs a program once and measures how it starts and warms up: the time to
// its first output, its whole time, the processor time and memory of all its processes, and
// the times of the units of work that it prints.
//
// A program is not traced, and nothing is put into it: its output is read from a pipe, and the
// system counts its resources. It runs in a process group of its own, where the system has
// these, and the whole group ends with it.
//
// A [Curve] is the median of the units of several runs. Its peak and the time until it is reached say what a
// single number can't: whether a program that starts sooner also gets there sooner.
package warmup
