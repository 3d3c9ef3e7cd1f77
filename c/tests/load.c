/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load stress-tests the library. Its arguments are ARCHIVE FOLDER ERAS MILLISECONDS. In each era a run begins with
 * ARCHIVE. Eight threads count, write checkpoints (FOLDER/0.parc and so on), open, adopt, claim, copy and close the
 * archive, and drop its pages from memory. Then the run ends. load prints the calls of each function, the number of
 * checkpoints and the duration of each operation. It fails if a descriptor or a mapping is leaked.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "profarc_archive.h"
#include "vm.h"

enum { COUNTERS = 4, THREADS = 8, STEPS = 64 * 8 };
typedef enum operation {
	LOOK_UP,
	COUNT,
	CHECKPOINT,
	OPEN,
	ADOPT,
	FIND,
	CLAIM,
	SNAPSHOT,
	CLOSE,
	START,
	END,
	OPERATIONS
} operation;
static const char *const operations[] = {"look up", "count", "checkpoint", "open", "adopt", "find", "claim", "snapshot",
	"close", "start", "end"};

static const char *archive, *folder;
static pa_run *current;
static _Atomic bool stop;
static _Atomic uint64_t turns, steps[OPERATIONS][STEPS], longest[OPERATIONS];
static unsigned checkpoints; /* only one thread writes them */

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* note records the duration of an operation that began at a time. */
static void note(operation o, uint64_t begun) {
	uint64_t took = now() - begun, most = longest[o];
	unsigned bits = 4;
	while (took >> bits != 0) bits++;
	steps[o][bits * 8 + (took >> (bits - 4) & 7)]++;
	while (took > most && !atomic_compare_exchange_weak(&longest[o], &most, took)) {}
}

static uint64_t quantile(operation o, uint64_t n, double share) {
	uint64_t left = (uint64_t)(share * (double)n);
	for (unsigned step = 32; step < STEPS; step++) {
		uint64_t most = (uint64_t)(9 + step % 8) << (step / 8 - 4);
		if (left < steps[o][step]) return most < longest[o] ? most : longest[o];
		left -= steps[o][step];
	}
	return longest[o];
}

static void print_times(void) {
	for (operation o = 0; o < OPERATIONS; o++) {
		uint64_t n = 0;
		for (unsigned step = 0; step < STEPS; step++) n += steps[o][step];
		printf("%-10s %10llu times, half %llu ns, p99 %llu ns, longest %llu ns\n", operations[o], (unsigned long long)n,
			(unsigned long long)quantile(o, n, 0.5), (unsigned long long)quantile(o, n, 0.99),
			(unsigned long long)longest[o]);
	}
}

static void pause_for(unsigned milliseconds) {
	struct timespec t = {.tv_sec = milliseconds / 1000, .tv_nsec = (long)(milliseconds % 1000) * 1000000};
	nanosleep(&t, NULL);
}

static void *count_in_turn(void *arg) {
	(void)arg;
	while (!stop) {
		uint64_t i = turns++, begun = now();
		pa_function_of(current, &keys[i % 2], 1);
		note(LOOK_UP, begun);
		begun = now();
		count_shared(current, i);
		note(COUNT, begun);
	}
	return NULL;
}

static void write_checkpoint(void) {
	char path[1000];
	pa_lost lost;
	snprintf(path, sizeof path, "%s/%u.parc", folder, checkpoints++);
	uint64_t begun = now();
	must(pa_checkpoint(current, path, &lost));
	note(CHECKPOINT, begun);
	if (lost.profiles + lost.rows > 0) fail("a checkpoint lacks counts");
}

static void *write_checkpoints(void *arg) {
	while (!stop) {
		pause_for(*(const unsigned *)arg / 10);
		write_checkpoint();
	}
	return NULL;
}

/* moving is read-locked while the archive is mapped, moved or unmapped, and write-locked while its pages are dropped.
 * The address range could otherwise belong to another mapping when it is dropped. */
static pthread_rwlock_t moving = PTHREAD_RWLOCK_INITIALIZER;

/* reopen_once opens the archive a second time, counts in a private copy, and closes it. */
static void reopen_once(bool copy, pa_base base) {
	char path[1000];
	pa_archive *a;
	pa_profile p;
	pa_report report;
	pthread_rwlock_rdlock(&moving);
	uint64_t begun = now();
	must(pa_open(archive, NULL, &a));
	note(OPEN, begun);
	begun = now();
	must(pa_adopt(a, base));
	note(ADOPT, begun);
	pthread_rwlock_unlock(&moving);
	begun = now();
	must(pa_find_profile(a, &keys[0], 1, &p));
	note(FIND, begun);
	begun = now();
	must(pa_claim(&p));
	note(CLAIM, begun);
	if (copy) {
		snprintf(path, sizeof path, "%s/snapshot", folder);
		begun = now();
		must(pa_write_snapshot(a, PA_TOTALS, path, &report));
		note(SNAPSHOT, begun);
		if (report.dropped.profiles + report.dropped.rows > 0) fail("a snapshot lacks counts");
	}
	pthread_rwlock_rdlock(&moving);
	begun = now();
	pa_close(a);
	note(CLOSE, begun);
	pthread_rwlock_unlock(&moving);
}

static void *reopen(void *arg) {
	for (unsigned i = 0; !stop; i++) reopen_once(arg != NULL, i % 2 == 0 ? PA_BASE_REQUESTED : PA_BASE_ANYWHERE);
	return NULL;
}

/* each_mapping calls drop for all read-only mappings of the archive. It counts all mappings and the mappings of
 * archives. drop may be NULL. */
static void each_mapping(void (*drop)(void *, size_t), unsigned *lines, unsigned *archives) {
	char line[2000], flags[5];
	unsigned long from, to;
	FILE *f = fopen("/proc/self/maps", "r");
	if (f == NULL) fail("no mappings are listed");
	*lines = *archives = 0;
	while (fgets(line, sizeof line, f) != NULL) {
		++*lines;
		if (strstr(line, ".parc") == NULL || sscanf(line, "%lx-%lx %4s", &from, &to, flags) != 3) continue;
		++*archives;
		if (strstr(line, archive) == NULL || strncmp(flags, "r-", 2) != 0) continue;
		if (drop != NULL) drop((void *)from, to - from);
	}
	fclose(f);
}

static void drop_mapping(void *at, size_t size) {
	if (madvise(at, size, MADV_DONTNEED) != 0) fail("pages cannot be dropped");
}

static void *drop_pages(void *arg) {
	unsigned lines, archives;
	(void)arg;
	while (!stop) {
		pthread_rwlock_wrlock(&moving);
		each_mapping(drop_mapping, &lines, &archives);
		pthread_rwlock_unlock(&moving);
		int file = open(archive, O_RDONLY | O_CLOEXEC);
		if (file < 0 || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0) fail("no advice can be given");
		close(file);
		pause_for(2);
	}
	return NULL;
}

static unsigned descriptors(void) {
	unsigned n = 0;
	DIR *d = opendir("/proc/self/fd");
	if (d == NULL) fail("no descriptors are listed");
	while (readdir(d) != NULL) n++;
	closedir(d);
	return n;
}

static void era(unsigned milliseconds) {
	void *(*const roles[THREADS])(void *) = {count_in_turn, count_in_turn, count_in_turn, count_in_turn,
		write_checkpoints, reopen, reopen, drop_pages};
	void *args[THREADS] = {[COUNTERS] = &milliseconds, [COUNTERS + 1] = &milliseconds};
	pthread_t threads[THREADS];
	uint64_t begun = now();
	current = start(archive);
	note(START, begun);
	stop = false;
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, roles[i], args[i]) != 0) fail("no thread");
	pause_for(milliseconds);
	stop = true;
	for (unsigned i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
	write_checkpoint();
	begun = now();
	pa_end(current);
	note(END, begun);
}

/*
 * Runs one more era and returns the count of mappings after it. No archive stays mapped and no descriptor stays open.
 */
static unsigned checked_era(int i, unsigned milliseconds, unsigned *descriptors_before) {
	unsigned lines, archives;
	era(milliseconds);
	each_mapping(NULL, &lines, &archives);
	if (i == 0) *descriptors_before = descriptors();
	if (archives > 0 || descriptors() != *descriptors_before) {
		fprintf(stderr, "era %d: %u mappings of archives, %u descriptors, %u before\n", i, archives, descriptors(),
			*descriptors_before);
		exit(1);
	}
	return lines;
}

/*
 * A leak of mappings grows in every era. What an allocator keeps stops growing, later on a machine with other work.
 */
int main(int argc, char **argv) {
	enum { ERAS_FOR_THE_ALLOCATOR = 12 };
	unsigned lines, highest = 0, descriptors_before = 0;
	bool grown = true;
	if (argc != 5) fail("usage: load ARCHIVE FOLDER ERAS MILLISECONDS");
	archive = argv[1];
	folder = argv[2];
	int eras = atoi(argv[3]);
	for (int i = 0; i < eras || grown; i++) {
		if (i == eras + ERAS_FOR_THE_ALLOCATOR) {
			fprintf(stderr, "the mappings grew in each of the last %d eras, to %u\n", ERAS_FOR_THE_ALLOCATOR, highest);
			return 1;
		}
		lines = checked_era(i, (unsigned)atoi(argv[4]), &descriptors_before);
		grown = lines > highest;
		if (grown) highest = lines;
	}
	printf("%llu %u\n", (unsigned long long)turns, checkpoints);
	print_times();
	return 0;
}
