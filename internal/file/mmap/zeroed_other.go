//go:build !unix || aix || race

package mmap

// Zeroed returns n zero bytes. Here they are ordinary memory: the race detector sees no atomic
// access to other memory, and so no order of what depends on it.
func Zeroed(n int) ([]byte, error) { return make([]byte, n), nil }

// Release does nothing: the garbage collector does.
func Release(memory []byte) {}
