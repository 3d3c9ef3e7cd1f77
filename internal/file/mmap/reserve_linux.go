package mmap

import "golang.org/x/sys/unix"

const noReserve = unix.MAP_NORESERVE

// reserveAddresses reserves n bytes of address space at base, or anywhere if base is 0 or taken.
func reserveAddresses(base, n uintptr) (uintptr, error) {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_NORESERVE
	if base != 0 {
		// Kernels before 4.17 treat the address as a hint and may return another one, which is acceptable.
		if p, err := unix.MmapPtr(-1, 0, pointerTo(base), n, unix.PROT_NONE, flags|unix.MAP_FIXED_NOREPLACE); err == nil {
			return uintptr(p), nil
		}
	}
	p, err := unix.MmapPtr(-1, 0, nil, n, unix.PROT_NONE, flags)
	return uintptr(p), err
}
