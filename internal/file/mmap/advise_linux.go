package mmap

import "golang.org/x/sys/unix"

// AdviseRandom tells the system whether pages are accessed at random. It otherwise reads some megabytes at a time.
func AdviseRandom(memory []byte, apart bool) {
	advice := unix.MADV_NORMAL
	if apart {
		advice = unix.MADV_RANDOM
	}
	_ = unix.Madvise(memory, advice) // optional
}
