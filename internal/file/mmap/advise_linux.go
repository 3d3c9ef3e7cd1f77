package mmap

import "golang.org/x/sys/unix"

// FarApart tells the system whether the pages of a mapping are read one here and one
// there: then it reads a page that is not in memory alone, and else some megabytes with it.
func FarApart(memory []byte, apart bool) {
	advice := unix.MADV_NORMAL
	if apart {
		advice = unix.MADV_RANDOM
	}
	_ = unix.Madvise(memory, advice) // nothing is wrong without it
}
