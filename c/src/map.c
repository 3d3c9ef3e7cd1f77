/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory: the archive, and its second mapping. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64 /* else 32-bit systems refuse files by their size or their inode */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0 /* the address is a hint then */
#endif

bool pai_map(const char *path, pa_archive *a, pa_error *e) {
	struct stat info;
	a->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for its writer */
	if (a->file < 0) return pai_system(e, "the file can't be opened");
	if (fstat(a->file, &info) != 0) return pai_system(e, "the file can't be examined");
	if (!S_ISREG(info.st_mode) || info.st_size < 64)
		return pai_fail(e, PA_FOREIGN, "not a profarc archive: no file, or too short");
	if ((uint64_t)info.st_size > SIZE_MAX) return pai_fail(e, PA_TOO_LARGE, "the file is too large for this machine");
	void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, a->file, 0);
	if (bytes == MAP_FAILED) return pai_system(e, "the file can't be mapped");
	a->bytes = bytes;
	a->size = (uint64_t)info.st_size;
	return true;
}

void pai_unmap(pa_archive *a) {
	if (a->file < 0) return;
	if (a->bytes != NULL) munmap((void *)(uintptr_t)a->bytes, (size_t)a->size);
	close(a->file);
}

/* ---- the second mapping ---- */

/* reserve takes address space, at base if that is free and not 0. */
static void *reserve(uint64_t base, size_t size) {
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *wanted = (void *)(uintptr_t)base;
	if (base != 0 && base <= UINTPTR_MAX) {
		void *p = mmap(wanted, size, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
		if (p != MAP_FAILED) return p; /* old kernels take the address as a hint: anywhere is as good */
	}
	return mmap(NULL, size, PROT_NONE, flags, -1, 0);
}

static bool place_file(const pa_archive *a, uint8_t *base, pa_error *e) {
	span rw = a->region[PA_RW];
	struct stat info;
	if (fstat(a->file, &info) != 0) return pai_system(e, "the file can't be examined");
	if ((uint64_t)info.st_size < a->size)
		return pai_fail(e, PA_TRUNCATED, "the file was cut short since it was opened");
	if (mmap(base, (size_t)a->size, PROT_READ, MAP_PRIVATE | MAP_FIXED, a->file, 0) == MAP_FAILED)
		return pai_system(e, "the file can't be mapped a second time");
	/* Little of rw is ever written: no swap space must be reserved for it. */
	if (rw.size > 0 &&
		mmap(base + rw.at, (size_t)rw.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, a->file,
			(off_t)rw.at) == MAP_FAILED)
		return pai_system(e, "rw can't be mapped for writing");
	return true;
}

static bool place_copy(const pa_archive *a, uint8_t *base, pa_error *e) {
	span rw = a->region[PA_RW];
	if (mprotect(base, (size_t)a->size, PROT_READ | PROT_WRITE) != 0)
		return pai_system(e, "no memory for a second copy");
	memcpy(base, a->bytes, (size_t)a->size);
	if (mprotect(base, (size_t)(rw.size > 0 ? rw.at : a->size), PROT_READ) != 0)
		return pai_system(e, "a copy can't be protected");
	return true;
}

bool pai_map_again(const pa_archive *a, uint64_t base, uint64_t late, live *to, pa_error *e) {
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	to->late_at = round_up(a->size, page);
	to->size = to->late_at + round_up(late, page);
	if (a->region[PA_RW].size > 0 && a->region[PA_RW].at % page != 0)
		return pai_fail(e, PA_UNSUPPORTED, "the pages of this machine are too large for the archive");
	if (to->size > SIZE_MAX) return pai_fail(e, PA_TOO_LARGE, "the archive is too large for this machine");
	to->base = reserve(base, (size_t)to->size);
	if (to->base == MAP_FAILED) {
		to->base = NULL;
		return pai_system(e, "no room for a second mapping");
	}
	bool placed = a->file >= 0 ? place_file(a, to->base, e) : place_copy(a, to->base, e);
	if (placed && mprotect(to->base + to->late_at, (size_t)(to->size - to->late_at), PROT_READ | PROT_WRITE) == 0)
		return true;
	if (placed) pai_system(e, "no memory for late types");
	pai_unmap_again(to);
	return false;
}

void pai_unmap_again(live *l) {
	if (l->base != NULL) munmap(l->base, (size_t)l->size);
	l->base = NULL;
}
