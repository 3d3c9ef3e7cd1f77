package mmap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// AdviseRandom tells the system whether pages are accessed at random. It otherwise reads some megabytes at a time.
func AdviseRandom(memory []byte, apart bool) {
	advice := unix.MADV_NORMAL
	if apart {
		advice = unix.MADV_RANDOM
	}
	_ = unix.Madvise(memory, advice) // optional
}

// adviseLarge asks for large pages. Errors are ignored, since large pages are optional.
func adviseLarge(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }

// Populate copies the uncopied pages of a writable part of a private mapping in one call, instead of one per page
// fault. It returns whether it did. Otherwise the first store into each page copies it.
func Populate(part []byte) bool {
	if len(part) == 0 {
		return true
	}
	page := uintptr(os.Getpagesize())
	from := uintptr(unsafe.Pointer(unsafe.SliceData(part))) &^ (page - 1)
	to := uintptr(unsafe.Pointer(unsafe.SliceData(part))) + uintptr(len(part))
	// Kernels before 5.14 return an error.
	return unix.Madvise(sliceAt(from, int64(to-from)), unix.MADV_POPULATE_WRITE) == nil
}
