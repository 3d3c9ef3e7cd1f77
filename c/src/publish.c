/* SPDX-License-Identifier: Apache-2.0 */
/* Where an archive is written to: memory, or a file that appears whole or not at all. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64 /* else 32-bit systems refuse files by their size or their inode */
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plan.h"

/* write_to lays the archive out for a sink that open makes when the size is known. The builder has no error of this. */
static pa_error write_to(
	pa_builder *b, bool (*open)(void *to, uint64_t size, pa_error *e), const sink *to, pa_report *report) {
	pa_error before = b->error, e;
	pa_report got;
	plan p;
	bool ok = pai_plan(b, &p) && open(to->to, p.file_size, &b->error) && pai_encode(&p, to, &got);
	pai_plan_free(&p);
	e = b->error;
	b->error = before;
	if (ok && report != NULL) *report = got;
	return e;
}

/* ---- memory ---- */

typedef struct memory { uint8_t *bytes; uint64_t size; } memory;

static bool open_memory(void *to, uint64_t size, pa_error *e) {
	memory *m = to;
	if (size > SIZE_MAX || (m->bytes = malloc((size_t)size)) == NULL) {
		errno = ENOMEM;
		return pai_system(e, "no memory for the archive");
	}
	m->size = size;
	memset(m->bytes, 0, HEADER);
	return true;
}

static bool write_memory(void *to, uint64_t at, const uint8_t *bytes, size_t size, pa_error *e) {
	memory *m = to;
	if (at > m->size || size > m->size - at) return pai_fail(e, PA_TOO_LARGE, "the archive is larger than was planned");
	memcpy(m->bytes + at, bytes, size);
	return true;
}

pa_error pa_write_memory(pa_builder *b, void **bytes, size_t *size, pa_report *report) {
	memory m = {0};
	pa_error e = write_to(b, open_memory, &(sink){write_memory, &m}, report);
	if (e.code == PA_OK) {
		*bytes = m.bytes;
		*size = (size_t)m.size;
	} else free(m.bytes);
	return e;
}

/* ---- a file ---- */

/* A temporary file in the directory of the file that it becomes. It is locked while it is written: a file with such a
 * name and without a lock is what a killed process left, and the next writer may remove it. */
typedef struct target { int folder, file; const char *name; char temporary[64]; } target;

static bool open_folder(const char *path, target *t, pa_error *e) {
	const char *slash = strrchr(path, '/');
	size_t n = slash == NULL ? 0 : (size_t)(slash - path) + 1;
	char *folder = malloc(n + 2);
	if (folder == NULL) {
		errno = ENOMEM;
		return pai_system(e, "no memory for the name of a folder");
	}
	memcpy(folder, n > 0 ? path : ".", n > 0 ? n : 1);
	folder[n > 0 ? n : 1] = 0;
	t->name = path + n;
	t->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed = errno;
	free(folder);
	errno = failed;
	if (t->folder < 0) return pai_system(e, "the folder of the file can't be opened");
	return *t->name != 0 || pai_fail(e, PA_ARGUMENT, "a path without the name of a file");
}

/* find_old sets old to what the file at the path is, exists to whether there is one. It must be an ordinary file. */
static bool find_old(const target *t, struct stat *old, bool *exists, pa_error *e) {
	*exists = fstatat(t->folder, t->name, old, AT_SYMLINK_NOFOLLOW) == 0;
	if (!*exists) return errno == ENOENT || pai_system(e, "the file can't be examined");
	if (S_ISLNK(old->st_mode))
		return pai_fail(e, PA_ARGUMENT, "the path is a symbolic link: name the file that it leads to");
	return S_ISREG(old->st_mode) || pai_fail(e, PA_ARGUMENT, "the path is no ordinary file");
}

/* host_tag tells machines apart: locks may not work between them. It is FNV-1a of the name. */
static uint32_t host_tag(void) {
	char name[256] = {0};
	uint32_t h = 2166136261;
	if (gethostname(name, sizeof name - 1) != 0) name[0] = 0;
	for (const char *p = name; *p != 0; p++) h = (h ^ (uint8_t)*p) * 16777619;
	return h;
}

static uint64_t random_number(const target *t, unsigned try) {
	struct timespec now = {0};
	clock_gettime(CLOCK_REALTIME, &now);
	const uint64_t seed[] = {
		(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid(), (uint64_t)(uintptr_t)t, try};
	return pai_xxh64(NULL, 0, (const void *)seed, sizeof seed);
}

static bool create(target *t, mode_t mode, pa_error *e) {
	struct stat made;
	for (unsigned try = 0; try < 100; try++) {
		snprintf(t->temporary, sizeof t->temporary, ".profarc-%08x-%016llx.tmp", (unsigned)host_tag(),
			(unsigned long long)random_number(t, try));
		t->file = openat(t->folder, t->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (t->file < 0 && errno == EEXIST) continue;
		if (t->file < 0) break;
		bool locked = flock(t->file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
		if (locked && fstat(t->file, &made) == 0 && made.st_nlink > 0) return true;
		close(t->file);
		t->file = -1; /* taken for litter before it was locked */
	}
	t->temporary[0] = 0;
	return pai_system(e, "a temporary file can't be made");
}

static bool open_file(void *to, uint64_t size, pa_error *e) {
	target *t = to;
	struct stat old;
	bool exists;
	(void)size;
	return find_old(t, &old, &exists, e) && create(t, exists ? 0600 : 0644, e);
}

static bool write_file(void *to, uint64_t at, const uint8_t *bytes, size_t size, pa_error *e) {
	const target *t = to;
	while (size > 0) {
		ssize_t n = pwrite(t->file, bytes, size, (off_t)at);
		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) return pai_system(e, "the file can't be written");
		bytes += n;
		size -= (size_t)n;
		at += (uint64_t)n;
	}
	return true;
}

/* keep_owner returns the file the owner and group of the old one, as far as this process may, and returns the
 * permissions for it: if the group could not be kept, group and others get only what both had. */
static mode_t keep_owner(int file, const struct stat *old) {
	mode_t mode = old->st_mode & 0777, both = mode >> 3 & mode & 7;
	if (fchown(file, old->st_uid, old->st_gid) == 0 || fchown(file, (uid_t)-1, old->st_gid) == 0) return mode;
	return (mode & 0700) | both << 3 | both;
}

static bool publish(target *t, pa_error *e) {
	struct stat old;
	bool exists;
	if (!find_old(t, &old, &exists, e)) return false;
	if (exists && fchmod(t->file, keep_owner(t->file, &old)) != 0)
		return pai_system(e, "the file can't get the permissions of the old one");
	if (fsync(t->file) != 0) return pai_system(e, "the file can't be synced");
	if (renameat(t->folder, t->temporary, t->folder, t->name) != 0) return pai_system(e, "the file can't be renamed");
	t->temporary[0] = 0;
	if (fsync(t->folder) != 0 && errno != EINVAL)
		return pai_system(e, "the file is in place, but may be gone after a power failure");
	return true;
}

static void close_target(target *t) {
	if (t->temporary[0] != 0) unlinkat(t->folder, t->temporary, 0);
	if (t->file >= 0) close(t->file);
	if (t->folder >= 0) close(t->folder);
}

pa_error pa_write(pa_builder *b, const char *path, pa_report *report) {
	pa_error e = pai_none();
	target t = {-1, -1, NULL, {0}};
	pa_report got;
	if (open_folder(path, &t, &e)) e = write_to(b, open_file, &(sink){write_file, &t}, &got);
	if (e.code == PA_OK && publish(&t, &e) && report != NULL) *report = got;
	close_target(&t);
	return e;
}

pa_error pa_publish(const char *path, const void *bytes, size_t size) {
	pa_error e = pai_none();
	target t = {-1, -1, NULL, {0}};
	bool ok = open_folder(path, &t, &e) && open_file(&t, size, &e) && write_file(&t, 0, bytes, size, &e);
	if (ok) publish(&t, &e);
	close_target(&t);
	return e;
}
