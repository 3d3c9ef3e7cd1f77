package mmap

import "golang.org/x/sys/unix"

// adviseLarge asks for large pages. An error means that there are none.
func adviseLarge(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
