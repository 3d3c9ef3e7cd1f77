//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const pa_error none = {.code = PA_OK, .message = ""};

static pa_error failed(const char *message) {
	return (pa_error){.code = PA_SYSTEM, .system = errno, .message = message};
}

enum { HUGE_PAGE = 2 << 20 };

/* reserve allocates memory at the alignment of a huge page, because faulting small pages takes longer than reading the
 * file. If the data fills less than half of a huge page it uses small pages, so that a small archive takes little
 * memory. */
static bool reserve(image *i, size_t size) {
	size_t whole = (size + HUGE_PAGE / 2) / HUGE_PAGE * HUGE_PAGE, slack = whole > 0 ? HUGE_PAGE : 0,
		   room = (whole > size ? whole : size) + slack;
	char *p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) return false;
	size_t before = slack == 0 ? 0 : -(uintptr_t)p % HUGE_PAGE;
	if (before > 0) munmap(p, before);
	*i = (image){p + before, size, room - before};
	if (whole > 0) (void)madvise(i->bytes, whole, MADV_HUGEPAGE);
	return true;
}

static bool read_all(int file, const image *i) {
	for (size_t at = 0; at < i->size;) {
		ssize_t n = pread(file, (char *)i->bytes + at, i->size - at, (off_t)at);
		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) return false;
		at += (size_t)n;
	}
	return mprotect(i->bytes, i->room, PROT_READ) == 0;
}

static pa_error read_file(image *to, int file) {
	struct stat info;
	if (fstat(file, &info) != 0) return failed("the file can't be examined");
	if (!S_ISREG(info.st_mode) || info.st_size == 0)
		return (pa_error){.code = PA_FOREIGN, .message = "not a profarc archive: no ordinary file, or empty"};
	if (!reserve(to, (size_t)info.st_size)) return failed("there is no memory for it");
	return read_all(file, to) ? none : failed("the file can't be read, or was cut short meanwhile");
}

pa_error image_read(image *to, const char *path) {
	*to = (image){0};
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0) return failed("the file can't be opened");
	pa_error e = read_file(to, file);
	close(file);
	if (e.code != PA_OK) image_free(to);
	return e;
}

void image_free(image *i) {
	if (i->bytes != NULL) munmap(i->bytes, i->room);
	*i = (image){0};
}
