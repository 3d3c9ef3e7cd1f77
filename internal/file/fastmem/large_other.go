//go:build !linux

package fastmem

// adviseLarge does nothing.
func adviseLarge(address, size uintptr) {}
