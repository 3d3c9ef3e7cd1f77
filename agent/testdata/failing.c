/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets calls of the agent for memory, files and threads fail. It is linked with the agent and --wrap for each call
 * below. Variables of the environment say what fails:
 *
 *	PROFARC_FAILING_VM      set: calls of the VM are counted and fail (failing_vm.c), and none of those below
 *	PROFARC_FAILING         number of the call that fails; 0 or none: no call
 *	PROFARC_FAILING_ALWAYS  set: all calls after it fail, too
 *	PROFARC_FAILING_CALLS   file that gets the number of calls at the end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing.h"

static atomic_ulong calls;
static unsigned long failing;
static bool always, of_vm;

__attribute__((constructor)) static void begin(void) {
	const char *number = getenv("PROFARC_FAILING");
	failing = number == NULL ? 0 : strtoul(number, NULL, 10);
	always = getenv("PROFARC_FAILING_ALWAYS") != NULL;
	of_vm = getenv("PROFARC_FAILING_VM") != NULL;
}

FILE *__real_fopen(const char *path, const char *mode);

__attribute__((destructor)) static void end(void) {
	const char *path = getenv("PROFARC_FAILING_CALLS");
	FILE *f = path == NULL ? NULL : __real_fopen(path, "w");
	if (f == NULL) return;
	fprintf(f, "%lu\n", atomic_load(&calls));
	fclose(f);
}

bool failing_call(bool call_of_vm) {
	if (call_of_vm != of_vm) return false;
	unsigned long now = atomic_fetch_add(&calls, 1) + 1;
	return failing != 0 && (now == failing || (now > failing && always));
}

/* fails reports whether this call fails, with an error. */
static bool fails(int error) {
	if (!failing_call(false)) return false;
	errno = error;
	return true;
}

#define WRAP(type, name, params, args, error, none) \
	type __real_##name params; \
	type __wrap_##name params; \
	type __wrap_##name params { return fails(error) ? none : __real_##name args; }

WRAP(void *, malloc, (size_t n), (n), ENOMEM, NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), ENOMEM, NULL)
WRAP(void *, realloc, (void *p, size_t n), (p, n), ENOMEM, NULL)
WRAP(void *, mmap, (void *at, size_t n, int access, int flags, int file, off_t from), (at, n, access, flags, file, from),
	ENOMEM, MAP_FAILED)
WRAP(int, mprotect, (void *at, size_t n, int access), (at, n, access), ENOMEM, -1)
WRAP(int, fstat, (int file, struct stat *info), (file, info), EIO, -1)
WRAP(ssize_t, pread, (int file, void *bytes, size_t n, off_t at), (file, bytes, n, at), EIO, -1)

FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode) { return fails(EIO) ? NULL : __real_fopen(path, mode); }

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
	va_list more;
	va_start(more, flags);
	int mode = va_arg(more, int); /* meaningless without O_CREAT, and unused then */
	va_end(more);
	return fails(EIO) ? -1 : __real_open(path, flags, mode);
}

typedef void *thread_function(void *);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, thread_function *f, void *with);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, thread_function *f, void *with);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, thread_function *f, void *with) {
	return fails(EAGAIN) ? EAGAIN : __real_pthread_create(thread, how, f, with);
}
