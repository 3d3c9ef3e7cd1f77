//go:build unix && !aix

package mmap

import "golang.org/x/sys/unix"

// Forget takes the pages out of the memory of this process. The system still has them, as
// long as it likes, and they are mapped again when they are touched.
func (v *View) Forget() { _ = unix.Madvise(v.mapping, unix.MADV_DONTNEED) }
