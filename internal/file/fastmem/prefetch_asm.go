//go:build amd64 || arm64

package fastmem

//go:noescape
func prefetchPlaces(data []byte, places []int64)

//go:noescape
func prefetchLines(addresses []uintptr)
