//go:build amd64 || arm64

package prefetch

// Places fetches the line of each of the places in data. Places outside are passed
// over. Where a machine has no instruction for it, it reads.
//
//go:noescape
func Places(data []byte, places []int64)

// Lines fetches the line at each address. Where a machine has no instruction for
// it, it does nothing.
//
//go:noescape
func Lines(addresses []uintptr)
