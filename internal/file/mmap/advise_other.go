//go:build !linux

package mmap

// FarApart does nothing here.
func FarApart(memory []byte, apart bool) {}
