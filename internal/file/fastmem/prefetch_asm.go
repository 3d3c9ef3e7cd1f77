//go:build amd64 || arm64

package fastmem

// prefetchPlaces fetches the line of each of the places in data. Places outside are passed
// over. Where a machine has no instruction for it, it reads.
//
//go:noescape
func prefetchPlaces(data []byte, places []int64)

// prefetchLines fetches the line at each address. Where a machine has no instruction for it, it does nothing.
//
//go:noescape
func prefetchLines(addresses []uintptr)
