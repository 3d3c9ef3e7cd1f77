/* SPDX-License-Identifier: Apache-2.0 */
/* Which process this is, so that a merge sees that two dumps are of one. It is found out as profarc finds it out from
 * outside. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "build.h"

enum { TICK = 10000000 }; /* of start times in /proc, in nanoseconds */

/* ---- /proc ---- */

/* read_text reads the beginning of a file, and ends it with a NUL byte. */
static bool read_text(const char *path, char *text, size_t room) {
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0) return false;
	ssize_t n = read(file, text, room - 1);
	close(file);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* find_boot reads the boot id: 32 digits, with lines between some of them. */
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

/* find_start reads when the process started: the 20th of the fields behind its name, which may have any bytes. */
static bool find_start(uint64_t *start) {
	char text[1024];
	if (!read_text("/proc/self/stat", text, sizeof text)) return false;
	const char *p = strrchr(text, ')');
	for (unsigned i = 0; p != NULL && i < 20; i++) p = strchr(p + 1, ' ');
	*start = p == NULL ? 0 : strtoull(p, NULL, 10);
	return *start != 0;
}

/* name_space returns the number of the namespace of process numbers, 0 if it is not known. */
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

/* begun returns when a process started, in nanoseconds since 1970, as exactly as start says; 0 if the system does not
 * say. */
static int64_t begun(uint64_t start) {
#ifdef CLOCK_BOOTTIME
	int64_t at = clock_now(CLOCK_REALTIME) - clock_now(CLOCK_BOOTTIME) + (int64_t)start * TICK;
	return (at + TICK / 2) / TICK * TICK;
#else
	(void)start;
	return 0;
#endif
}

/* ---- the run ---- */

/* is_described reports whether a row of the table runs is about the builder's dump. */
static bool is_described(pa_builder *b) {
	const new_table *t = pai_table(b, PA_TABLE_RUNS);
	uint8_t *id = b->config.dump_id;
	for (size_t at = 0; t != NULL && at < t->cells.size; at += 8 * (size_t)t->columns)
		if (get64(t->cells.bytes + at) == get64(id) && get64(t->cells.bytes + at + 8) == get64(id + 8)) return true;
	return false;
}

pa_error pa_describe_process(pa_builder *b, const pa_provenance *run) {
	pa_provenance r = run != NULL ? *run : (pa_provenance){0};
	pa_error e = pai_none();
	if (!sound(b)) return b->error;
	if (is_described(b)) {
		pai_refuse(b, PA_ARGUMENT, "the run of the dump is described already");
		return b->error;
	}
	if (!find_boot(r.boot) || !find_start(&r.start)) {
		pai_fail(&e, PA_UNSUPPORTED, "the system does not say which process this is");
		return e;
	}
	static const uint8_t none[16];
	if (memcmp(r.since, none, 16) == 0) memcpy(r.since, b->since, 16);
	r.name_space = name_space();
	r.process = (uint64_t)getpid();
	r.begun = begun(r.start);
	if (!pai_draw(b, b->config.dump_id)) return b->error;
	b->config.dump_time = pai_now();
	pa_describe_run(b, &r);
	return b->error;
}
