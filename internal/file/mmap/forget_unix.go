//go:build unix && !aix

package mmap

import "golang.org/x/sys/unix"

// Forget unmaps the pages from this process. The system may keep them, and the next access maps them again.
func (v *View) Forget() { _ = unix.Madvise(v.mapping, unix.MADV_DONTNEED) }
