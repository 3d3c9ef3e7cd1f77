//go:build !amd64 && !arm64

package fastmem

import "runtime"

// prefetchPlaces reads a byte at each offset in data. The processor requests all of them before it waits for the first.
func prefetchPlaces(data []byte, places []int64) {
	var seen byte
	for _, at := range places {
		if uint64(at) < uint64(len(data)) {
			seen |= data[at]
		}
	}
	runtime.KeepAlive(seen)
}

// prefetchLines does nothing, since a plain address cannot be read.
func prefetchLines([]uintptr) {}
