/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm is a small VM that shows the whole life of a profile. Its first run counts in private memory and dumps an archive
 * at exit. Every later run adopts the archive, counts in it with eight threads, and replaces the file with the live
 * totals.
 *
 *	make -C c install PREFIX=$HOME/.local
 *	cc -std=c11 $(PKG_CONFIG_PATH=$HOME/.local/lib/pkgconfig pkg-config --cflags --libs profarc) -pthread -o vm vm.c
 *	./vm vm.parc                  once to learn, then as often as you like
 *	./vm vm.parc anywhere         maps the archive at another address than the requested one
 *
 * Its program has functions that loop over shapes. Each iteration has a branch and a virtual call. The interpreter
 * counts through pointers. They may point into an archive or not.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <profarc_archive.h>

enum { THREADS = 8, ROUNDS = 500, CLASSES = 3, BRANCH = 2, CALL = 5, ROOM = 4 };
static const char *const producer = "Example VM 1";

/* The producer id distinguishes archives of this VM from all others. Its 16 bytes were generated once. */
#define PRODUCER_ID {0x4f, 0x21, 0xd8, 0x6a, 0x90, 0x1b, 0x4e, 0x35, 0x87, 0xc2, 0x59, 0x0d, 0xe4, 0x76, 0xab, 0x13}
static const uint8_t producer_id[16] = PRODUCER_ID;

/* ---- the program ---- */

/* A class. The last class is loaded only in runs with a profile, so that the archive lacks it at first. */
typedef struct class_info { const char *name; bool round; uint32_t type; } class_info;

static class_info classes[CLASSES] = {{"Circle", true, 0}, {"Square", false, 0}, {"Ring", true, 0}};
static unsigned loaded = CLASSES - 1;

/* Indexes of a function's counters. */
enum { CALLS, TAKEN, NOT_TAKEN, RECEIVERS, COUNTERS = RECEIVERS + CLASSES };

typedef struct function {
	const char *name;
	unsigned turns;
	struct function *callee;
	pa_profile profile;
	pa_entry receivers;
	_Atomic(pa_counter *) counters[COUNTERS]; /* NULL for a receiver without a row */
	pa_counter own[COUNTERS];                 /* counters in a run without a profile */
	uint64_t before[COUNTERS];
} function;

static function functions[] = {{.name = "total", .turns = 10}, {.name = "main", .turns = 20, .callee = &functions[0]}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static pa_archive *archive; /* NULL in a run without a profile */

/* fail reports an error. A VM would log it and run without a profile. */
static int fail(const char *what, pa_error e) {
	fprintf(stderr, "vm: %s: %s\n", what, e.message);
	return 1;
}

static pa_key key_of(const function *f) {
	return (pa_key){.class_name = pa_text_of("Shapes"), .name = pa_text_of(f->name), .signature = pa_text_of("()")};
}

/* ---- counting ---- */

/* count_receiver counts a class at the call in a function. The first time it takes a row of the profile. The row keeps
 * its type, so the function can keep a pointer to its count. */
static void count_receiver(function *f, unsigned class) {
	pa_counter *counter = f->counters[RECEIVERS + class];
	pa_rows rows;
	uint32_t row;
	if (counter != NULL) {
		pa_count(counter, 1);
	} else if (pa_count_receiver(&f->receivers, classes[class].type, &row).code == PA_OK) {
		pa_receivers_of(&f->receivers, &rows);
		f->counters[RECEIVERS + class] = pa_word(&f->receivers, row == PA_NO_ROW ? 0 : rows.first + 2 * row + 1);
	}
}

/* run interprets a function. truth counts the same events for one thread, for check. */
static void run(function *f, uint64_t truth[FUNCTIONS][COUNTERS]) {
	uint64_t *own = truth[f - functions];
	pa_count(f->counters[CALLS], 1);
	own[CALLS]++;
	for (unsigned i = 0; i < f->turns; i++) {
		unsigned class = i % loaded, way = classes[class].round ? TAKEN : NOT_TAKEN;
		pa_count(f->counters[way], 1);
		own[way]++;
		count_receiver(f, class);
		own[RECEIVERS + class]++;
		if (f->callee != NULL) run(f->callee, truth);
	}
}

typedef struct worker { pthread_t thread; uint64_t truth[FUNCTIONS][COUNTERS]; } worker;

static void *work(void *of) {
	worker *w = of;
	for (unsigned i = 0; i < ROUNDS; i++) run(&functions[FUNCTIONS - 1], w->truth);
	return NULL;
}

/* ---- the start of a run ---- */

static void start_cold(void) {
	for (function *f = functions; f < functions + FUNCTIONS; f++)
		for (unsigned i = 0; i < COUNTERS; i++) f->counters[i] = &f->own[i];
}

/* load binds the classes of this run to the types of the archive. A type that the archive lacks becomes a late type. */
static pa_error load(void) {
	pa_error e = {.code = PA_OK};
	for (loaded = 0; loaded < CLASSES && e.code == PA_OK; loaded++) {
		class_info *c = &classes[loaded];
		e = pa_late_type(archive, pa_text_of(c->name), pa_text_of(""), &c->type);
		if (e.code == PA_OK) e = pa_bind(archive, c->type, c);
	}
	return e;
}

/* adopt finds and claims the profile of a function at its first call. */
static pa_error adopt(function *f) {
	pa_key key = key_of(f);
	pa_entry branch;
	pa_error e = pa_find_profile(archive, &key, PA_UNKNOWN_CODE, &f->profile);
	if (e.code == PA_OK) e = pa_claim(&f->profile);
	if (e.code != PA_OK) return e;
	if (!pa_entry_at(&f->profile, BRANCH, &branch) || !pa_entry_at(&f->profile, CALL, &f->receivers))
		return (pa_error){PA_NO_PROFILE, .message = "a profile of another program"};
	f->counters[CALLS] = pa_profile_word(&f->profile, PA_FIELD_INVOCATIONS);
	f->counters[TAKEN] = pa_word(&branch, 0);
	f->counters[NOT_TAKEN] = pa_word(&branch, 1);
	if (f->counters[CALLS] == NULL || f->counters[NOT_TAKEN] == NULL)
		return (pa_error){PA_NO_PROFILE, .message = "a profile of another program"};
	return e;
}

static uint64_t receiver_count(const function *f, unsigned class) {
	pa_receiver r;
	if (archive == NULL) return f->own[RECEIVERS + class];
	for (uint32_t row = 0; pa_next_bound(&f->receivers, &row, &r);)
		if (r.bound == &classes[class]) return r.count;
	return 0;
}

static uint64_t count_now(const function *f, unsigned i) {
	return i >= RECEIVERS ? receiver_count(f, i - RECEIVERS) : *f->counters[i];
}

static pa_error start_warm(pa_base base) {
	pa_adoption adoption;
	pa_error e = pa_adopt(archive, base);
	if (e.code == PA_OK) e = load();
	for (unsigned i = 0; i < FUNCTIONS && e.code == PA_OK; i++) {
		function *f = &functions[i];
		e = adopt(f);
		for (unsigned k = 0; k < COUNTERS && e.code == PA_OK; k++) f->before[k] = count_now(f, k);
	}
	if (e.code == PA_OK && pa_adoption_of(archive, &adoption))
		printf("adopted %s, ", adoption.at_requested ? "as requested" : "elsewhere");
	return e;
}

/* ---- the end of a run ---- */

/* check compares the counts in the archive with the counts of the threads. */
static bool check(const worker *workers) {
	bool exact = true;
	for (unsigned f = 0; f < FUNCTIONS; f++)
		for (unsigned i = 0; i < COUNTERS; i++) {
			uint64_t want = functions[f].before[i];
			for (unsigned w = 0; w < THREADS; w++) want += workers[w].truth[f][i];
			exact = exact && count_now(&functions[f], i) == want;
		}
	printf("main was called %" PRIu64 " times, all sums are %s\n", count_now(&functions[FUNCTIONS - 1], CALLS),
		exact ? "exact" : "WRONG");
	return exact;
}

/* record adds the profile of a function to a dump. Empty rows are free for types of later runs. */
static void record(pa_builder *b, const function *f) {
	pa_key key = key_of(f);
	pa_type_count rows[ROOM] = {{0, 0}};
	const uint64_t ways[] = {f->own[TAKEN], f->own[NOT_TAKEN]};
	for (unsigned i = 0; i < loaded; i++)
		rows[i] =
			(pa_type_count){pa_intern_type(b, pa_text_of(classes[i].name), pa_text_of("")), f->own[RECEIVERS + i]};
	pa_begin(b, pa_intern_method(b, &key), PA_UNKNOWN_CODE, 0);
	pa_record_invocations(b, f->own[CALLS]);
	pa_record_counters(b, BRANCH, ways, 2);
	pa_record_receivers(b, &(pa_new_receivers){.point = CALL, .sub = PA_OF_CALL}, rows, ROOM);
	pa_done(b, NULL);
}

/* dump writes the live totals of an archive, or the profiles of a run without an archive. It describes the process, so
 * that a merge never counts two dumps of one process. */
static pa_error dump(const char *path) {
	const pa_config config = {.domain = PA_CUSTOM, .producer = pa_text_of(producer), .producer_id = PRODUCER_ID};
	pa_builder *b;
	pa_error e = pa_builder_new(&config, &b);
	if (e.code != PA_OK) return e;
	if (archive != NULL) pa_snapshot(b, archive, PA_TOTALS);
	for (unsigned i = 0; i < FUNCTIONS && archive == NULL; i++) record(b, &functions[i]);
	e = pa_describe_process(b, &(pa_provenance){.vm = pa_text_of(producer)});
	if (e.code == PA_OK) e = pa_write(b, path, NULL);
	pa_builder_free(b);
	return e;
}

int main(int argc, char **argv) {
	static worker workers[THREADS];
	pa_options expect = {.producer_id = producer_id};
	bool anywhere = argc == 3 && strcmp(argv[2], "anywhere") == 0;
	pa_error e;
	if (argc != 2 && !anywhere) {
		fputs("usage: vm ARCHIVE [anywhere]\n", stderr);
		return 2;
	}
	e = pa_open(argv[1], &expect, &archive);
	/* not an archive of this VM, so do not replace it */
	if (e.code != PA_OK && (e.code != PA_SYSTEM || anywhere)) return fail(argv[1], e);
	if (archive == NULL) start_cold();
	else if ((e = start_warm(anywhere ? PA_BASE_ANYWHERE : PA_BASE_REQUESTED)).code != PA_OK) {
		pa_close(archive);
		return fail(argv[1], e);
	}
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
			fputs("vm: no threads\n", stderr);
			return 1;
		}
	for (unsigned i = 0; i < THREADS; i++) pthread_join(workers[i].thread, NULL);
	bool exact = check(workers);
	e = dump(argv[1]);
	pa_close(archive);
	return e.code != PA_OK ? fail(argv[1], e) : !exact;
}
