//go:build unix && !aix && !race

package mmap

import "golang.org/x/sys/unix"

// Zeroed returns n zero bytes; the system provides each page when it is touched
// first: to ask for many costs no more than to ask for few. [Release] unmaps them.
func Zeroed(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, readWrite, unix.MAP_PRIVATE|unix.MAP_ANON|noReserve)
}

// Release unmaps memory that Zeroed returned.
func Release(memory []byte) { _ = unix.Munmap(memory) }
