//go:build !amd64 && !arm64

package fastmem

import "runtime"

// prefetchPlaces reads a byte at each of the places in data: the processor asks for all of
// them before it waits for the first. Places outside are passed over.
func prefetchPlaces(data []byte, places []int64) {
	var seen byte
	for _, at := range places {
		if uint64(at) < uint64(len(data)) {
			seen |= data[at]
		}
	}
	runtime.KeepAlive(seen)
}

// prefetchLines does nothing: an address that is nothing but a number cannot be read.
func prefetchLines([]uintptr) {}
