//go:build !race

package words

import "unsafe"

// Add1 adds 1 by an ordinary load and store. Another thread that counts in the word at the same time may undo it.
func (c *Count) Add1() { *(*uint64)(unsafe.Pointer(c))++ }
