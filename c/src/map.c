/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

bool pai_map(const char *path, pa_archive *a, pa_error *e) {
	struct stat info;
	a->file = open(path, O_RDONLY | O_CLOEXEC);
	if (a->file < 0) return pai_system(e, "the file can't be opened");
	if (fstat(a->file, &info) != 0) return pai_system(e, "the file can't be examined");
	if (!S_ISREG(info.st_mode) || info.st_size < 64) return pai_fail(e, PA_FOREIGN, "not a profarc archive: no file, or too short");
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
