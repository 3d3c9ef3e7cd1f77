//go:build !unix || aix || race

package mmap

// MapZeroed returns n zero bytes of ordinary memory. The race detector ignores atomic accesses to other memory, so it
// would not see the order of operations that depend on them.
func MapZeroed(n int) ([]byte, error) { return make([]byte, n), nil }

// UnmapZeroed does nothing, since the memory is garbage-collected.
func UnmapZeroed(memory []byte) {}
