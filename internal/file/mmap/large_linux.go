package mmap

import "golang.org/x/sys/unix"

// adviseLarge asks for large pages. Errors are ignored, since large pages are optional.
func adviseLarge(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
