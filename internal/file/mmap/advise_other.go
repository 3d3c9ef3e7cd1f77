//go:build !linux

package mmap

// AdviseRandom does nothing on this system.
func AdviseRandom(memory []byte, apart bool) {}

func adviseLarge([]byte) {}

// Populate returns false, since this system cannot copy the pages in one call.
func Populate(part []byte) bool { return false }
