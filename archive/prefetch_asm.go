//go:build amd64 || arm64

package archive

// prefetch is in assembly since Go has no other way to ask for memory without
// waiting for it. The instruction cannot fault.
//
//go:noescape
func prefetch(data []byte, places []int64)
