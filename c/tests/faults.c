/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults publishes a file and makes each system call fail in turn, first once and then permanently.
 *
 *	faults publish|write NEW OUT [OLD]
 *
 * publish writes the bytes of NEW, and write writes a copy of the archive NEW. Before each attempt OUT becomes a copy
 * of OLD, or is removed. It stays unchanged if OLD is "keep". The output has one line per call, for the crash model:
 *
 *	fault NAME | CALL | NUMBER | once or always
 *	create FILE NAME; write FILE AT SIZE = or the bytes; sync FILE ok or failed, where FILE 0 is the directory;
 *	rename FROM TO; remove NAME
 *	end SYNC REMOVE CODE ERRNO LEFT OPEN, with failed syncs and removals, the error, temporary and open files
 *	there new, old or neither, the content of OUT
 *
 * The last trace has no fault. The program is linked with --wrap for each call below.
 */
#define _GNU_SOURCE
#include "client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- faults ---- */

typedef enum call { OPEN, CREATE, EXAMINE, LOCK, WRITE, READ, MODE, OWNER, SYNC, RENAME, REMOVE, CLOSE, CALLS } call;
typedef enum how { FAILS, FAILS_LATE, LIES, HALF, NOTHING, HALF_LIE, ELSEWHERE, ZEROS, CHANGED, HOWS } how;
#define IN(call) (1u << (call))
#define ANY (IN(CALLS) - 1)

static const char *const calls[] = {
	"open", "create", "examine", "lock", "write", "read", "mode", "owner", "sync", "rename", "remove", "close"};
static const struct fault { const char *name; unsigned in; how how; int error; } faults[] = {
	{"EIO", ANY, FAILS, EIO},
	{"ENOSPC", ANY, FAILS, ENOSPC},
	{"EDQUOT", ANY, FAILS, EDQUOT},
	{"EINTR", ANY, FAILS, EINTR},
	{"late EIO", IN(CREATE) | IN(LOCK) | IN(MODE) | IN(OWNER) | IN(RENAME) | IN(REMOVE), FAILS_LATE, EIO},
	{"locked", IN(LOCK), FAILS, EWOULDBLOCK},
	{"taken", IN(CREATE), FAILS, EEXIST},
	{"short", IN(WRITE) | IN(READ), HALF, 0},
	{"nothing", IN(WRITE) | IN(READ), NOTHING, 0},
	{"lie", IN(LOCK), LIES, 0},
	{"lie", IN(WRITE), LIES, 0},
	{"lie", IN(MODE) | IN(OWNER), LIES, 0},
	{"lie", IN(SYNC), LIES, 0},
	{"lie", IN(RENAME), LIES, 0},
	{"lie", IN(REMOVE), LIES, 0},
	{"half a lie", IN(WRITE), HALF_LIE, 0},
	{"elsewhere", IN(WRITE), ELSEWHERE, 0},
	{"zeros", IN(WRITE) | IN(READ), ZEROS, 0},
	{"changed", IN(WRITE), CHANGED, 0},
};

static const struct fault *fault; /* may be NULL */
static bool armed, always;
static unsigned number, seen, wrong, hit, made_calls, files, open_files;
static int temporary = -1;
static uint8_t *expected;
static size_t expected_size;

enum { MOST = 200000 }; /* calls in one attempt; more are an endless loop */

/* now returns how a call must fail, or HOWS if it must not. */
static how now(call c) {
	if (!armed) return HOWS;
	if (++made_calls > MOST) {
		printf("endless %s\n", calls[c]);
		fflush(stdout);
		_exit(1);
	}
	if (fault == NULL || (fault->in & IN(c)) == 0) return HOWS;
	seen++;
	if (seen != number && !(always && seen > number)) return HOWS;
	hit |= IN(c);
	if (wrong++ == 0) printf("fault %s | %s | %u | %s\n", fault->name, calls[c], number, always ? "always" : "once");
	return fault->how;
}

static int fail(void) {
	errno = fault->error;
	return -1;
}

/* change ends a call that changed something. real is the result of the real call. */
#define CHANGE(call, real, log) \
	do { \
		how h = now(call); \
		if (h == FAILS) return fail(); \
		if (h == LIES) return 0; \
		int made = (real); \
		if (made >= 0 && armed) log; \
		return h == FAILS_LATE ? fail() : made; \
	} while (0)

/* ---- the calls ---- */

int __real_open64(const char *path, int flags, ...);
int __real_openat64(int in, const char *name, int flags, ...);
int __real_fstat64(int file, struct stat *info);
int __real_fstatat64(int in, const char *name, struct stat *info, int flags);
int __real_flock(int file, int what);
ssize_t __real_pwrite64(int file, const void *bytes, size_t size, int64_t at);
ssize_t __real_pread64(int file, void *bytes, size_t size, int64_t at);
int __real_fchmod(int file, mode_t mode);
int __real_fchown(int file, uid_t user, gid_t group);
int __real_fsync(int file);
int __real_renameat(int from, const char *old, int to, const char *new);
int __real_unlinkat(int in, const char *name, int flags);
int __real_close(int file);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_openat64(int in, const char *name, int flags, ...);
int __wrap_fstat64(int file, struct stat *info);
int __wrap_fstatat64(int in, const char *name, struct stat *info, int flags);
int __wrap_flock(int file, int what);
ssize_t __wrap_pwrite64(int file, const void *bytes, size_t size, int64_t at);
ssize_t __wrap_pread64(int file, void *bytes, size_t size, int64_t at);
int __wrap_fchmod(int file, mode_t mode);
int __wrap_fchown(int file, uid_t user, gid_t group);
int __wrap_fsync(int file);
int __wrap_renameat(int from, const char *old, int to, const char *new);
int __wrap_unlinkat(int in, const char *name, int flags);
int __wrap_close(int file);
int __real_closedir(DIR *names);
int __wrap_closedir(DIR *names);

int __wrap_open64(const char *path, int flags, ...) {
	va_list more;
	va_start(more, flags);
	int mode = va_arg(more, int); /* without O_CREAT the value is undefined, and unused */
	va_end(more);
	if (now(OPEN) == FAILS) return fail();
	int file = __real_open64(path, flags, mode);
	open_files += armed && file >= 0;
	return file;
}

int __wrap_openat64(int in, const char *name, int flags, ...) {
	va_list more;
	va_start(more, flags);
	int mode = va_arg(more, int);
	va_end(more);
	how h = now(CREATE);
	if (h == FAILS) return fail();
	int file = __real_openat64(in, name, flags, mode);
	if (file < 0 || !armed) return file;
	printf("create %u %s\n", ++files, name);
	if (h == FAILS_LATE) {
		__real_close(file);
		return fail();
	}
	temporary = file;
	open_files++;
	return file;
}

int __wrap_fstat64(int file, struct stat *info) {
	return now(EXAMINE) == FAILS ? fail() : __real_fstat64(file, info);
}

int __wrap_fstatat64(int in, const char *name, struct stat *info, int flags) {
	return now(EXAMINE) == FAILS ? fail() : __real_fstatat64(in, name, info, flags);
}

int __wrap_flock(int file, int what) { CHANGE(LOCK, __real_flock(file, what), (void)0); }
int __wrap_fchmod(int file, mode_t mode) { CHANGE(MODE, __real_fchmod(file, mode), (void)0); }
int __wrap_fchown(int file, uid_t user, gid_t group) { CHANGE(OWNER, __real_fchown(file, user, group), (void)0); }

int __wrap_renameat(int from, const char *old, int to, const char *new) {
	CHANGE(RENAME, __real_renameat(from, old, to, new), printf("rename %s %s\n", old, new));
}

int __wrap_unlinkat(int in, const char *name, int flags) {
	CHANGE(REMOVE, __real_unlinkat(in, name, flags), printf("remove %s\n", name));
}

/* fsync does nothing, because the crash model decides what is lost. */
int __wrap_fsync(int file) {
	how h = now(SYNC);
	if (!armed || h == LIES) return 0;
	printf("sync %u %s\n", file == temporary ? files : 0, h == FAILS ? "failed" : "ok");
	return h == FAILS ? fail() : 0;
}

int __wrap_close(int file) {
	how h = now(CLOSE);
	if (armed) open_files--;
	int closed = __real_close(file);
	return h == FAILS ? fail() : closed;
}

int __wrap_closedir(DIR *names) {
	how h = now(CLOSE);
	if (armed) open_files--;
	int closed = __real_closedir(names);
	return h == FAILS ? fail() : closed;
}

/* store writes to the file and prints the call. */
static ssize_t store(int file, const uint8_t *bytes, size_t size, int64_t at) {
	ssize_t n = __real_pwrite64(file, bytes, size, at);
	if (n <= 0 || !armed) return n;
	printf("write %u %lld %lld ", files, (long long)at, (long long)n);
	if ((size_t)at + (size_t)n <= expected_size && memcmp(expected + at, bytes, (size_t)n) == 0) printf("=");
	else
		for (ssize_t i = 0; i < n; i++) printf("%02x", bytes[i]);
	printf("\n");
	return n;
}

ssize_t __wrap_pwrite64(int file, const void *bytes, size_t size, int64_t at) {
	static uint8_t other[1 << 16];
	how h = now(WRITE);
	must(size <= sizeof other, "a write is larger than was expected");
	if (h == FAILS) return fail();
	if (h == NOTHING) return 0;
	if (h == LIES) return (ssize_t)size;
	if (h == HALF) return store(file, bytes, (size + 1) / 2, at);
	if (h == HALF_LIE) return store(file, bytes, size / 2, at) < 0 ? -1 : (ssize_t)size;
	if (h == ELSEWHERE) return store(file, bytes, size, at + 1);
	memcpy(other, bytes, size);
	if (h == ZEROS) memset(other, 0, size);
	if (h == CHANGED) other[size / 2] ^= 4;
	return store(file, other, size, at);
}

ssize_t __wrap_pread64(int file, void *bytes, size_t size, int64_t at) {
	how h = now(READ);
	if (h == FAILS) return fail();
	if (h == NOTHING) return 0;
	if (h == HALF) size = (size + 1) / 2;
	if (h == ZEROS) return memset(bytes, 0, size), (ssize_t)size;
	return __real_pread64(file, bytes, size, at);
}

/* ---- publishing ---- */

static void put(const char *to, const uint8_t *old, size_t size) {
	remove(to);
	if (old == NULL) return;
	FILE *f = fopen(to, "wb");
	must(f != NULL && fwrite(old, 1, size, f) == size && fclose(f) == 0, "the old file can't be written");
}

/* count_left removes the temporary files next to a file and returns their number. */
static unsigned count_left(const char *to) {
	char path[4096];
	const char *slash = strrchr(to, '/');
	unsigned n = 0;
	snprintf(path, sizeof path, "%.*s", (int)(slash - to), to);
	DIR *d = opendir(path);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		if (strncmp(e->d_name, ".profarc-", 9) == 0) n += __real_unlinkat(dirfd(d), e->d_name, 0) == 0;
	if (d != NULL) closedir(d);
	return n;
}

/* publish_once publishes, and reports whether the expected fault occurred. */
static bool publish_once(bool archive, const char *from, const char *to) {
	pa_archive *a = NULL;
	if (archive) check(pa_open(from, NULL, &a));
	seen = wrong = hit = made_calls = files = open_files = 0;
	temporary = -1;
	armed = true;
	pa_error e = archive ? pa_write_snapshot(a, PA_TRAINED, to, NULL) : pa_publish(to, expected, expected_size);
	armed = false;
	if (archive) pa_close(a);
	unsigned left = count_left(to);
	printf("end %d %d %d %d %u %u\n", (hit & IN(SYNC)) != 0, (hit & IN(REMOVE)) != 0, (int)
			e.code, e.system, left, open_files);
	return wrong > 0;
}

/* same_as reports whether a file has the given bytes. */
static bool same_as(const char *path, const uint8_t *bytes, size_t size) {
	size_t n;
	if (access(path, F_OK) != 0) return bytes == NULL;
	uint8_t *got = read_all(path, &n);
	bool same = bytes != NULL && n == size && memcmp(got, bytes, n) == 0;
	free(got);
	return same;
}

int main(int argc, char **argv) {
	must(argc == 4 || argc == 5, "usage: faults publish|write NEW OUT [OLD]");
	bool archive = strcmp(argv[1], "write") == 0, keep = argc == 5 && strcmp(argv[4], "keep") == 0;
	size_t old_size = 0;
	uint8_t *old = argc == 5 && !keep ? read_all(argv[4], &old_size) : NULL;
	expected = read_all(argv[2], &expected_size);
	for (size_t i = 0; i < 2 * (sizeof faults / sizeof *faults); i++)
		for (number = 1, fault = &faults[i / 2], always = i % 2;; number++) {
			if (!keep) put(argv[3], old, old_size);
			bool more = publish_once(archive, argv[2], argv[3]);
			if (!keep)
				printf("there %s\n", same_as(argv[3], expected, expected_size) ? "new"
						: same_as(argv[3], old, old_size)                      ? "old"
																			   : "neither");
			if (!more) break;
		}
	fault = NULL;
	if (!keep) put(argv[3], old, old_size);
	publish_once(archive, argv[2], argv[3]);
	if (!keep) printf("there %s\n", same_as(argv[3], expected, expected_size) ? "new" : "neither");
	free(expected);
	free(old);
	return 0;
}
