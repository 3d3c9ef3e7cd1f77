//go:build unix && !aix && !race

package mmap

import "golang.org/x/sys/unix"

// Zeroed maps n zero bytes. The system provides each page on first access, so unused pages are free. [Release] unmaps
// them.
func Zeroed(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, readWrite, unix.MAP_PRIVATE|unix.MAP_ANON|noReserve)
}

// Release unmaps memory that Zeroed returned.
func Release(memory []byte) { _ = unix.Munmap(memory) }
