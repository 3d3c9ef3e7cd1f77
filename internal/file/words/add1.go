//go:build !race

package words

import "unsafe"

// Add1 adds 1 by an ordinary load and store. A concurrent increment by another thread may be lost.
func (c *Count) Add1() { *(*uint64)(unsafe.Pointer(c))++ }
