// Package intern stores and sorts texts and other values by the million.
//
// Values lie in few large pieces of memory without pointers, and are named by
// numbers from 1. Texts are sorted eight bytes at a time by radix.
package intern
