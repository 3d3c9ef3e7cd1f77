// Package bench measures profarc beside what one would use without it, in one
// run, so that the ratio holds on a noisy machine. README.md says how to run
// each measurement and what it gave.
package bench
