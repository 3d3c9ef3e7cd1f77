package fastmem

import "golang.org/x/sys/unix"

// adviseLarge asks for large pages for memory at an address, up to the ends of the pages
// in which it begins and ends: its neighbours on the heap may as well be in them.
// It is nothing but advice, and an error means that there are none.
func adviseLarge(address, size uintptr) {
	from := address &^ (largePageSize - 1)
	to := (address + size + largePageSize - 1) &^ (largePageSize - 1)
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_HUGEPAGE)
}
