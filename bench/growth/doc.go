// Growth measures how the cost of every operation on whole archives grows with
// the archive, over shapes that somebody may have made to be expensive:
//
//	go run ./bench/growth              all shapes and operations
//	go run ./bench/growth -n 8000 -shape deep -operation diff
//
// Each line has the time and the allocated bytes at the sizes n, 2n, 4n and 8n,
// and the exponents that fit: 1 is linear. The test of this package holds the
// work, which is the same on every machine, to exponents of almost 1.
package main
