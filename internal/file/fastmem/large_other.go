//go:build !linux

package fastmem

func adviseLarge(address, size uintptr) {}
