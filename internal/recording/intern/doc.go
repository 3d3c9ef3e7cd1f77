// Package intern stores and sorts strings and other values by the million.
//
// Values are stored in a few large pieces of memory without pointers, and are numbered from 1. Strings are sorted by
// radix, eight bytes at a time.
package intern
