package mmap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Populate copies the pages of a writable part of a private mapping that are not copied yet, in one call and
// not by a fault for each. It returns whether it did; if not, the first store into each of them does.
func Populate(part []byte) bool {
	if len(part) == 0 {
		return true
	}
	page := uintptr(os.Getpagesize())
	from := uintptr(unsafe.Pointer(unsafe.SliceData(part))) &^ (page - 1)
	to := uintptr(unsafe.Pointer(unsafe.SliceData(part))) + uintptr(len(part))
	// Kernels before 5.14 refuse.
	return unix.Madvise(sliceAt(from, int64(to-from)), unix.MADV_POPULATE_WRITE) == nil
}
