//go:build !linux

package mmap

// Populate returns false, since this system cannot copy the pages in one call.
func Populate(part []byte) bool { return false }
