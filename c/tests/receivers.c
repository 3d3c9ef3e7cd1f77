/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receivers checks type profiles of profarc.h, in a run without an archive, with one, and with one that is mapped
 * elsewhere. It writes and replaces the archive.
 *
 *	receivers ARCHIVE
 */
#include <pthread.h>
#include <string.h>

#include "vm.h"

enum { THREADS = 4, EACH = 20000, ROWS = 4 };

static const char *const names[] = {"A", "B", "C", "D", "E", "F"};
enum { CLASSES = sizeof names / sizeof *names };

static pa_receivers *receivers_of(pa_run *run, int32_t point) {
	return pa_receivers_at(pa_function_of(run, &keys[0], 1), point);
}

static uint64_t count_of(const pa_receivers *r, const pa_class *class) {
	const pa_class *c;
	uint64_t count, found = 0;
	unsigned rows = 0;
	for (uint32_t row = 0; pa_next_class(r, &row, &c, &count);)
		if (c == class) {
			found = count;
			rows++;
		}
	if (rows > 1) fail("a class has two rows");
	return found;
}

static void want(uint64_t got, uint64_t wanted, const char *what) {
	if (got == wanted) return;
	fprintf(stderr, "%s: %llu, want %llu\n", what, (unsigned long long)got, (unsigned long long)wanted);
	exit(1);
}

/* count_in_row counts 999 arrivals in the row of a class, as an inline cache does after the first one. */
static void count_in_row(pa_receivers *r, const pa_class *class) {
	uint64_t before = count_of(r, class);
	pa_counter *row = pa_count_class(r, class);
	if (row == NULL || pa_count_class1(r, class) != row) fail("a class has no row");
	for (int i = 0; i < 500; i++) pa_count1(row);
	pa_count(row, 497);
	want(pa_load(row), before + 999, "the counter of a row");
	want(count_of(r, class), before + 999, "the count of a class");
}

/* fill takes all rows of a point, which others does not exceed before. */
static void fill(pa_run *run, int32_t point, uint64_t others) {
	pa_receivers *r = receivers_of(run, point);
	for (unsigned i = 0; i < CLASSES; i++) {
		pa_class *c = class_of(run, names[i], NULL);
		pa_counter *row = i % 2 == 0 ? pa_count_class(r, c) : pa_count_class1(r, c);
		if ((row == NULL) != (i >= ROWS)) fail("not as many classes have a row as there are rows");
	}
	if (pa_count_class(r, NULL) != NULL || pa_count_class1(r, NULL) != NULL) fail("no class has a row");
	want(pa_other_classes(r), others + CLASSES - ROWS + 2, "arrivals of other classes");
}

typedef struct work { pa_run *run; pa_receivers *at; unsigned first; } work;

static void *count_all_classes(void *arg) {
	const work *w = arg;
	for (unsigned i = 0; i < EACH; i++) {
		pa_class *c = class_of(w->run, names[(w->first + i) % ROWS], NULL);
		pa_count(pa_count_class(w->at, c), 1);
	}
	return NULL;
}

/* count_in_threads lets threads claim the rows of a point at the same time. */
static void count_in_threads(pa_run *run, int32_t point) {
	pa_receivers *r = receivers_of(run, point);
	pthread_t threads[THREADS];
	work all[THREADS];
	uint64_t before[ROWS];
	for (unsigned i = 0; i < ROWS; i++) before[i] = count_of(r, class_of(run, names[i], NULL));
	for (unsigned i = 0; i < THREADS; i++) {
		all[i] = (work){run, r, i};
		if (pthread_create(&threads[i], NULL, count_all_classes, &all[i]) != 0) fail("no thread");
	}
	for (unsigned i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < ROWS; i++)
		want(count_of(r, class_of(run, names[i], NULL)) - before[i], 2 * EACH * THREADS / ROWS, "counts of threads");
}

enum { RARE = CALL, FULL = CALL + 1, BUSY = CALL + 2, RARE_ONLY = 1, COMMON = 999 };

/* train counts A once and B 999 times at one point, and all classes at others. */
static void train(const char *path) {
	pa_run *run = start(path);
	pa_receivers *r = receivers_of(run, RARE);
	pa_count_class(r, class_of(run, "A", NULL));
	count_in_row(r, class_of(run, "B", NULL));
	want(pa_other_classes(r), 0, "other classes without an archive");
	fill(run, FULL, 0);
	count_in_threads(run, BUSY);
	must(pa_dump(run, path, NULL));
	pa_end(run);
}

/* check_unloaded checks that classes that are not loaded count as others, until they are loaded. */
static void check_unloaded(pa_run *run) {
	pa_receivers *r = receivers_of(run, RARE);
	uint64_t sum = 0, count;
	const pa_class *c;
	pa_class *a = class_of(run, "A", NULL), *late = class_of(run, "Late", NULL);
	for (uint32_t row = 0; pa_next_class(r, &row, &c, &count);) sum += count;
	want(count_of(r, a), RARE_ONLY, "the loaded class");
	want(sum, RARE_ONLY, "loaded classes");
	want(pa_other_classes(r), COMMON, "classes that are not loaded");
	count_in_row(r, a);
	count_in_row(r, late);
	want(pa_other_classes(r), COMMON, "classes that are not loaded, after others arrived");
	want(count_of(r, class_of(run, "B", NULL)), COMMON, "a class that is loaded now");
	want(pa_other_classes(r), 0, "others after all are loaded");
}

/* continue_run checks a run with the archive. */
static void continue_run(const char *path) {
	pa_run *run = start(path);
	check_unloaded(run);
	fill(run, FULL, CLASSES - ROWS + 2);
	count_in_threads(run, BUSY);
	pa_end(run);
}

int main(int argc, char **argv) {
	if (argc != 2) fail("usage: receivers ARCHIVE");
	vm.rows = ROWS;
	train(argv[1]);
	continue_run(argv[1]);
	pa_run *first = start(argv[1]); /* it takes the requested base, so that the next archive is mapped elsewhere */
	continue_run(argv[1]);
	pa_end(first);
	return 0;
}
