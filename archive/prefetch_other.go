//go:build !amd64 && !arm64

package archive

import "runtime"

// prefetch reads a byte at each place: the processor asks for all of them before
// it waits for the first.
func prefetch(data []byte, places []int64) {
	var seen byte
	for _, at := range places {
		if uint64(at) < uint64(len(data)) {
			seen |= data[at]
		}
	}
	runtime.KeepAlive(seen)
}
