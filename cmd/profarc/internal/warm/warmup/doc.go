// Package warmup runs a program once and measures how it starts and warms up. It measures the time to the first output,
// the total time, the processor time and memory of all processes, and the times of the units of work that the program
// prints.
//
// The program is not traced or modified. Its output is read from a pipe, and the system counts its resources. It runs
// in a separate process group, if the system has these, and the whole group ends with it.
//
// A [Curve] is the median of the units of several runs. Its peak, and the time until the peak is reached, show whether
// a program that starts sooner also warms up sooner.
package warmup
