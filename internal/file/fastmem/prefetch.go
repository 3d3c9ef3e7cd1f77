package fastmem

// Prefetch starts loading the cache line of each offset in data, without waiting, so that the cache misses overlap.
// It ignores offsets outside data. On machines without a prefetch instruction it reads. It is written in assembly,
// since Go has no prefetch, and cannot fault.
func Prefetch(data []byte, places []int64) {
	if !disabled[Prefetching] {
		prefetchPlaces(data, places)
	}
}

// PrefetchLines starts loading the cache line at each address, on machines with a prefetch instruction.
func PrefetchLines(addresses []uintptr) {
	if !disabled[Prefetching] {
		prefetchLines(addresses)
	}
}
