/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lying writes an archive on a disk that reports success and stores something else, in one write after the other:
 *
 *	lying ARCHIVE OUT
 *
 * OUT is written before, and stays until no write is wrong. It prints how many were. It is linked with --wrap for
 * pwrite64, as which pwrite is compiled.
 */
#include <profarc_more.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

typedef enum kind { DROPPED, HALF, ELSEWHERE, CHANGED, KINDS } kind;

static uint64_t writes, lie; /* 0: none */
static kind how;

ssize_t __real_pwrite64(int file, const void *bytes, size_t size, int64_t at);
ssize_t __wrap_pwrite64(int file, const void *bytes, size_t size, int64_t at);
ssize_t __wrap_pwrite64(int file, const void *bytes, size_t size, int64_t at) {
	static char changed[1 << 16];
	if (++writes != lie || size == 0 || size > sizeof changed) return __real_pwrite64(file, bytes, size, at);
	memcpy(changed, bytes, size);
	changed[size / 2] ^= 4;
	if (how == HALF && __real_pwrite64(file, bytes, size / 2, at) < 0) return -1;
	if (how == ELSEWHERE && __real_pwrite64(file, bytes, size, at + 1) < 0) return -1;
	if (how == CHANGED && __real_pwrite64(file, changed, size, at) < 0) return -1;
	return (ssize_t)size;
}

/* copy_archive writes an archive anew. */
static pa_error copy_archive(const char *from, const char *to) {
	pa_archive *a;
	pa_error e = pa_open(from, NULL, &a);
	if (e.code != PA_OK) return e;
	e = pa_write_snapshot(a, PA_TRAINED, to, NULL);
	pa_close(a);
	return e;
}

/* same reports whether two files are the same: what was not stored may be zeros, as where nothing was. */
static bool same(const char *a, const char *b) {
	FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
	int c = EOF, d = EOF;
	if (x != NULL && y != NULL)
		do {
			c = getc(x);
			d = getc(y);
		} while (c == d && c != EOF);
	if (x != NULL) fclose(x);
	if (y != NULL) fclose(y);
	return c == d;
}

int main(int argc, char **argv) {
	if (argc != 3) return 2;
	uint64_t lies = 0;
	for (how = DROPPED; how < KINDS; how++)
		for (lie = 1;; lie++) {
			writes = 0;
			pa_error e = copy_archive(argv[1], argv[2]);
			if (writes < lie) {
				if (e.code == PA_OK) break;
				fprintf(stderr, "%s\n", e.message);
				return 1;
			}
			if (e.code == PA_OK && !same(argv[1], argv[2])) {
				fprintf(stderr, "write %u of kind %d went unnoticed\n", (unsigned)lie, (int)how);
				return 1;
			}
			lies++;
		}
	printf("%llu\n", (unsigned long long)lies);
	return 0;
}
