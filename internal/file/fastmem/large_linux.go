package fastmem

import "golang.org/x/sys/unix"

// adviseLarge requests large pages for memory at an address, rounded outward to whole large pages. Its heap neighbors
// can be in them, too. Errors are ignored, since large pages are optional.
func adviseLarge(address, size uintptr) {
	from := address &^ (largePageSize - 1)
	to := (address + size + largePageSize - 1) &^ (largePageSize - 1)
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_HUGEPAGE)
}
