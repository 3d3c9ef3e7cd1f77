//go:build !linux

package mmap

// adviseLarge does nothing.
func adviseLarge([]byte) {}
