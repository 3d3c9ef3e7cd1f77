//go:build !unix || aix

package mmap

// Zeroed returns n zero bytes. Here they are ordinary memory.
func Zeroed(n int) ([]byte, error) { return make([]byte, n), nil }

// Release does nothing: the garbage collector does.
func Release(memory []byte) {}
