//go:build !unix || aix || race

package mmap

// MapZeroed maps n zero bytes. Pages are provided on first access, so unused ones are free. [UnmapZeroed] unmaps them.
func MapZeroed(n int) ([]byte, error) { return make([]byte, n), nil }

// UnmapZeroed does nothing, since the memory is garbage-collected.
func UnmapZeroed(memory []byte) {}
