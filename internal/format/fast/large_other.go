//go:build !linux

package fast

// adviseLarge does nothing.
func adviseLarge(address, size uintptr) {}
