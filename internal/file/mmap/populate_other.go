//go:build !linux

package mmap

// Populate copies the pages of a writable part of a private mapping where the system
// can do so in one call, and returns whether it did. Here it cannot.
func Populate(part []byte) bool { return false }
