package fastmem

// Prefetch brings the lines at each of the places in data on their way into the caches and waits for none of
// them, so that many waits become one. Places outside are passed over. Where a machine has no instruction for
// it, it reads. It is in assembly, since Go has no other way; the instruction cannot fault.
func Prefetch(data []byte, places []int64) {
	if !disabled[Prefetching] {
		prefetchPlaces(data, places)
	}
}

// PrefetchLines brings the line at each address on its way. Where a machine has no
// instruction for it, it does nothing.
func PrefetchLines(addresses []uintptr) {
	if !disabled[Prefetching] {
		prefetchLines(addresses)
	}
}
