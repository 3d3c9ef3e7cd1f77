//go:build unix && !aix && !race

package mmap

import "golang.org/x/sys/unix"

// MapZeroed maps n zero bytes. Pages are provided on first access, so unused ones are free. [UnmapZeroed] unmaps them.
func MapZeroed(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, readWrite, unix.MAP_PRIVATE|unix.MAP_ANON|noReserve)
}

func UnmapZeroed(memory []byte) { _ = unix.Munmap(memory) }
