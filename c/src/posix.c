/* SPDX-License-Identifier: Apache-2.0 */
/* The system functions of the library on Linux and macOS, which are mapping, publishing files, processes and random
 * numbers. windows.c has them for Windows. */
#ifndef _WIN32

#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#define _FILE_OFFSET_BITS 64 /* otherwise 32-bit systems refuse large files and large inode numbers */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "build.h"

/* ---- the archive in memory ---- */

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

bool pai_map(const char *path, pa_archive *a, pa_error *e) {
	struct stat info;
	a->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not wait for its writer */
	if (a->file < 0) return pai_system(e, "the file can't be opened");
	if (fstat(a->file, &info) != 0) return pai_system(e, "the file can't be examined");
	if (!S_ISREG(info.st_mode) || info.st_size == 0)
		return pai_fail(e, PA_FOREIGN, "not a profarc archive: no file, or an empty one");
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

/* reserve reserves address space, at base if base is not 0 and the range is free. base is a hint, since any address is
 * acceptable. With MAP_FIXED_NOREPLACE a program with ThreadSanitizer would get the address 0 as root, since the
 * sanitizer replaces addresses of its own memory by 0. */
static void *reserve(uint64_t base, size_t size) {
	void *wanted = (void *)(uintptr_t)(base <= UINTPTR_MAX ? base : 0);
	return mmap(wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* writable returns the start of the pages of rw. A small rw shares its first page with the previous region. */
static uint64_t writable(const pa_archive *a) {
	span rw = a->region[PA_RW];
	return rw.size > 0 ? rw.at - rw.at % (uint64_t)sysconf(_SC_PAGESIZE) : a->size;
}

static bool place_file(const pa_archive *a, uint8_t *base, pa_error *e) {
	struct stat info;
	if (fstat(a->file, &info) != 0) return pai_system(e, "the file can't be examined");
	if ((uint64_t)info.st_size < a->size)
		return pai_fail(e, PA_TRUNCATED, "the file was cut short since it was opened");
	if (mmap(base, (size_t)a->size, PROT_READ, MAP_PRIVATE | MAP_FIXED, a->file, 0) == MAP_FAILED)
		return pai_system(e, "the file can't be mapped a second time");
	/* The process writes few pages of rw, so do not reserve swap space for all of it. */
	uint64_t from = writable(a);
	if (from < a->size &&
		mmap(base + from, (size_t)(a->size - from), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
			a->file, (off_t)from) == MAP_FAILED)
		return pai_system(e, "rw can't be mapped for writing");
	return true;
}

static bool place_copy(const pa_archive *a, uint8_t *base, pa_error *e) {
	if (mprotect(base, (size_t)a->size, PROT_READ | PROT_WRITE) != 0)
		return pai_system(e, "no memory for a second copy");
	memcpy(base, a->bytes, (size_t)a->size);
	if (mprotect(base, (size_t)writable(a), PROT_READ) != 0)
		return pai_system(e, "a copy can't be protected");
	return true;
}

bool pai_map_again(const pa_archive *a, uint64_t base, uint64_t late, live *to, pa_error *e) {
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	to->late_at = round_up(a->size, page);
	to->size = to->late_at + round_up(late, page);
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

/* pai_written_pages asks Linux. A page of a private mapping is the file's, or absent, until it is written. */
bool pai_written_pages(const uint8_t *at, size_t pages, uint8_t *written) {
	enum { AT_ONCE = 512 };
	const uint64_t present = (uint64_t)1 << 63, swapped = (uint64_t)1 << 62, of_file = (uint64_t)1 << 61;
	uint64_t bits[AT_ONCE];
	if (sysconf(_SC_PAGESIZE) != PAGE || pages > AT_ONCE) return false;
	int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (map < 0) return false;
	ssize_t n = pread(map, bits, pages * sizeof *bits, (off_t)((uintptr_t)at / PAGE * sizeof *bits));
	close(map);
	if (n != (ssize_t)(pages * sizeof *bits)) return false;
	for (size_t i = 0; i < pages; i++)
		written[i] = (bits[i] & swapped) != 0 || (bits[i] & (present | of_file)) == present;
	return true;
}

/* ---- a file ---- */

/* A temporary file in the directory of the target. The writer holds a lock on it. A file with such a name but without a
 * lock was left by a killed process, and the next writer may remove it. */
struct target { int folder, file; const char *name; char temporary[64]; };

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

/* find_old gets the file at the path, which must be a regular file if it exists. */
static bool find_old(const target *t, struct stat *old, bool *exists, pa_error *e) {
	*exists = fstatat(t->folder, t->name, old, AT_SYMLINK_NOFOLLOW) == 0;
	if (!*exists) return errno == ENOENT || pai_system(e, "the file can't be examined");
	if (S_ISLNK(old->st_mode))
		return pai_fail(e, PA_ARGUMENT, "the path is a symbolic link: name the file that it leads to");
	return S_ISREG(old->st_mode) || pai_fail(e, PA_ARGUMENT, "the path is no ordinary file");
}

/* host_tag identifies the machine, since locks may not work between machines. It is the FNV-1a hash of the host
 * name. */
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

/* interrupted reports whether a signal interrupted a call, which must then be repeated. */
static bool interrupted(unsigned *times) {
	enum { MOST = 1000 }; /* limit of repetitions */
	return errno == EINTR && ++*times < MOST;
}

static int try_lock(int file) {
	unsigned times = 0;
	int failed;
	do failed = flock(file, LOCK_EX | LOCK_NB);
	while (failed != 0 && interrupted(&times));
	return failed;
}

/* lock_temporary locks the temporary file. It fails with EWOULDBLOCK if another process is removing the file as
 * stale. */
static bool lock_temporary(const target *t) {
	struct stat made;
	if (try_lock(t->file) != 0 && errno == EWOULDBLOCK) return false;
	if (fstat(t->file, &made) != 0) return false;
	errno = EWOULDBLOCK;
	return made.st_nlink > 0;
}

/* drop_temporary removes the temporary file and preserves errno. */
static void drop_temporary(target *t) {
	int failed = errno;
	if (t->temporary[0] != 0) unlinkat(t->folder, t->temporary, 0);
	if (t->file >= 0) close(t->file);
	t->temporary[0] = 0;
	t->file = -1;
	errno = failed;
}

#define TEMPORARY_OF_HOST ".profarc-%08x-"

static bool create(target *t, mode_t mode, pa_error *e) {
	for (unsigned try = 0; try < 100; try++) {
		snprintf(t->temporary, sizeof t->temporary, TEMPORARY_OF_HOST "%016llx.tmp", (unsigned)host_tag(),
			(unsigned long long)random_number(t, try));
		t->file = openat(t->folder, t->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (t->file >= 0 && lock_temporary(t)) return true;
		bool taken = errno == (t->file < 0 ? EEXIST : EWOULDBLOCK);
		if (taken && t->file < 0) t->temporary[0] = 0; /* it belongs to another process */
		drop_temporary(t);                             /* some systems create the file and then fail */
		if (!taken) break;
	}
	return pai_system(e, "a temporary file can't be made");
}

static bool is_temporary(const char *name) {
	/* The library and the command use the same names. An x stands for any byte. */
	static const char form[] = ".profarc-xxxxxxxx-xxxxxxxxxxxxxxxx.tmp";
	for (size_t i = 0; i < sizeof form - 1; i++)
		if (name[i] == 0 || (form[i] != 'x' && form[i] != name[i])) return false;
	return name[sizeof form - 1] == 0;
}

static bool is_same_file(const struct stat *x, const struct stat *y) {
	return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

/* may_be_litter reports whether a temporary file is litter if its lock is free. Files of other machines must be a day
 * old, since locks may not work between machines. */
static bool may_be_litter(const char *name, const struct stat *info) {
	char host[32];
	int n = snprintf(host, sizeof host, TEMPORARY_OF_HOST, (unsigned)host_tag());
	if (!S_ISREG(info->st_mode)) return false;
	return strncmp(name, host, (size_t)n) == 0 || (int64_t)time(NULL) - (int64_t)info->st_mtime >= 24 * 3600;
}

static void remove_if_dead(int folder, const char *name) {
	struct stat named, open;
	if (fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) != 0 || !may_be_litter(name, &named)) return;
	int file = openat(folder, name, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (file < 0) return;
	if (try_lock(file) == 0 && fstat(file, &open) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
		is_same_file(&named, &open))
		unlinkat(folder, name, 0);
	close(file);
}

/* remove_litter removes the temporary files of ended processes in a folder. Errors are ignored. */
static void remove_litter(int folder) {
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = again < 0 ? NULL : fdopendir(again);
	if (names == NULL) {
		if (again >= 0) close(again);
		return;
	}
	for (const struct dirent *d; (d = readdir(names)) != NULL;)
		if (is_temporary(d->d_name)) remove_if_dead(folder, d->d_name);
	closedir(names);
}

target *pai_open_target(const char *path, pa_error *e) {
	target *t = malloc(sizeof *t);
	if (t == NULL) {
		pai_system(e, "no memory for a file");
		return NULL;
	}
	*t = (target){-1, -1, NULL, {0}};
	if (open_folder(path, t, e)) return t;
	pai_close_target(t);
	return NULL;
}

bool pai_create_target(target *t, pa_error *e) {
	struct stat old;
	bool exists;
	if (!find_old(t, &old, &exists, e)) return false;
	remove_litter(t->folder);
	return create(t, exists ? 0600 : 0644, e);
}

bool pai_write_target(target *t, uint64_t at, const uint8_t *bytes, size_t size, pa_error *e) {
	for (unsigned times = 0; size > 0;) {
		ssize_t n = pwrite(t->file, bytes, size, (off_t)at);
		if (n < 0 && interrupted(&times)) continue;
		if (n == 0) errno = EIO;
		if (n <= 0) return pai_system(e, "the file can't be written");
		bytes += n;
		size -= (size_t)n;
		at += (uint64_t)n;
	}
	return true;
}

bool pai_read_target(target *t, uint64_t at, uint8_t *bytes, size_t size, pa_error *e) {
	for (unsigned times = 0; size > 0;) {
		ssize_t n = pread(t->file, bytes, size, (off_t)at);
		if (n < 0 && interrupted(&times)) continue;
		if (n < 0) return pai_system(e, "the file can't be read back");
		if (n == 0) {
			memset(bytes, 0xff, size); /* the file is too short, so make the checksum fail */
			return true;
		}
		bytes += n;
		size -= (size_t)n;
		at += (uint64_t)n;
	}
	return true;
}

/* keep_owner gives the file the owner and group of the old one, if this process may. It returns the permissions for the
 * file. If the group cannot be kept, group and others get only the permissions that both had. */
static mode_t keep_owner(int file, const struct stat *old) {
	mode_t mode = old->st_mode & 0777, both = mode >> 3 & mode & 7;
	if (fchown(file, old->st_uid, old->st_gid) == 0 || fchown(file, (uid_t)-1, old->st_gid) == 0) return mode;
	return (mode & 0700) | both << 3 | both;
}

bool pai_publish_target(target *t, pa_error *e) {
	struct stat old;
	bool exists;
	if (!find_old(t, &old, &exists, e)) return false;
	if (exists && fchmod(t->file, keep_owner(t->file, &old)) != 0)
		return pai_system(e, "the file can't get the permissions of the old one");
	if (fsync(t->file) != 0) return pai_system(e, "the file can't be synced");
	if (renameat(t->folder, t->temporary, t->folder, t->name) != 0) return pai_system(e, "the file can't be renamed");
	if (fstatat(t->folder, t->temporary, &old, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EIO;
		return pai_system(e, "renaming the file had no effect: the file system is faulty");
	}
	if (errno != ENOENT) return pai_system(e, "the renamed file can't be examined");
	t->temporary[0] = 0;
	if (fsync(t->folder) != 0 && errno != EINVAL)
		return pai_system(e, "the file is in place, but may be gone after a power failure");
	return true;
}

void pai_close_target(target *t) {
	if (t == NULL) return;
	drop_temporary(t);
	if (t->folder >= 0) close(t->folder);
	free(t);
}

/* ---- the process ---- */

enum { TICK = 10000000 }; /* unit of start times in /proc, in nanoseconds */

/* read_text reads the beginning of a file and adds a NUL byte. */
static bool read_text(const char *path, char *text, size_t room) {
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0) return false;
	ssize_t n = read(file, text, room - 1);
	close(file);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* find_boot reads the boot id, 32 hexadecimal digits with dashes. */
static bool find_boot(uint8_t boot[16]) {
	char text[64];
	unsigned n = 0;
	if (!read_text("/proc/sys/kernel/random/boot_id", text, sizeof text)) return false;
	memset(boot, 0, 16);
	for (const char *p = text; *p != 0 && n < 32; p++)
		if (digit(*p) >= 0) {
			boot[n / 2] |= (uint8_t)(digit(*p) << (n % 2 == 0 ? 4 : 0));
			n++;
		}
	return n == 32;
}

/* find_start reads the start time of the process. It is the 20th field after the name, and the name can contain any
 * bytes. */
static bool find_start(uint64_t *start) {
	char text[1024];
	if (!read_text("/proc/self/stat", text, sizeof text)) return false;
	const char *p = strrchr(text, ')');
	for (unsigned i = 0; p != NULL && i < 20; i++) p = strchr(p + 1, ' ');
	*start = p == NULL ? 0 : strtoull(p, NULL, 10);
	return *start != 0;
}

/* name_space returns the number of the PID namespace, or 0 if unknown. */
static uint64_t name_space(void) {
	char text[64];
	ssize_t n = readlink("/proc/self/ns/pid", text, sizeof text - 1);
	text[n > 0 ? n : 0] = 0;
	return strncmp(text, "pid:[", 5) == 0 ? strtoull(text + 5, NULL, 10) : 0;
}

static int64_t clock_now(clockid_t clock) {
	struct timespec now = {0};
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t pai_now(void) { return clock_now(CLOCK_REALTIME); }

/* begun returns the start time of a process in nanoseconds since 1970, with the resolution of start, or 0 if
 * unknown. */
static int64_t begun(uint64_t start) {
#ifdef CLOCK_BOOTTIME
	int64_t at = clock_now(CLOCK_REALTIME) - clock_now(CLOCK_BOOTTIME) + (int64_t)start * TICK;
	return (at + TICK / 2) / TICK * TICK;
#else
	(void)start;
	return 0;
#endif
}

bool pai_this_process(pa_provenance *r) {
	if (!find_boot(r->boot) || !find_start(&r->start)) return false;
	r->name_space = name_space();
	r->process = (uint64_t)getpid();
	r->begun = begun(r->start);
	return true;
}

bool pai_random(uint8_t id[16]) { return getentropy(id, 16) == 0; }

#endif
