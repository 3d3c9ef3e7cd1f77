//go:build !linux

package mmap

// FarApart does nothing on this system.
func FarApart(memory []byte, apart bool) {}
