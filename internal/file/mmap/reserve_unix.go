//go:build unix && !linux && !aix

package mmap

import "golang.org/x/sys/unix"

const noReserve = 0

// reserveAddresses reserves n bytes of address space at base, or anywhere if base is 0 or taken. Without MAP_FIXED
// the address is a hint that never replaces another mapping.
func reserveAddresses(base, n uintptr) (uintptr, error) {
	p, err := unix.MmapPtr(-1, 0, pointerTo(base), n, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	return uintptr(p), err
}
