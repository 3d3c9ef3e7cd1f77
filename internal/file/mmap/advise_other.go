//go:build !linux

package mmap

// AdviseRandom does nothing on this system.
func AdviseRandom(memory []byte, apart bool) {}
