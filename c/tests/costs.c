/* SPDX-License-Identifier: Apache-2.0 */
/*
 * costs prints the costs of a checkpoint. It uses only profarc.h.
 *
 *	costs FOLDER SET-UP TOUCHED [SET-UP TOUCHED ...]
 *
 * For each pair it makes an archive of SET-UP functions, begins a run with it and one without, sets up all functions,
 * counts in TOUCHED of them, and writes a checkpoint, five times. It prints the bytes of the last one, the bytes of a
 * dump of these functions alone, and the shortest times: of all, and of the processor. The difference is the disk's.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <profarc.h>

static const pa_vm vm = {.id = {0xc0, 0x57, 7}, .name = PA_TEXT("costs 1")};

static void must(pa_error e) {
	char text[200];
	if (e.code == PA_OK) return;
	fprintf(stderr, "%s\n", pa_error_text(e, NULL, text, sizeof text));
	exit(1);
}

static double now(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static long size_of(const char *path) {
	struct stat s;
	if (stat(path, &s) != 0) exit(1);
	return (long)s.st_size;
}

/* The words of a function. */
typedef struct words { pa_counter *calls, *taken, *not_taken; pa_receivers *receivers; } words;

static words *set_up(pa_run *run, unsigned n) {
	words *all = calloc(n, sizeof *all);
	for (unsigned i = 0; all != NULL && i < n; i++) {
		char class_name[40], name[40];
		snprintf(class_name, sizeof class_name, "org/example/Class%u", i / 10);
		snprintf(name, sizeof name, "method%u", i);
		const pa_key key = {pa_text_of(class_name), pa_text_of(name), PA_TEXT("(ILjava/lang/Object;)V"), PA_TEXT("")};
		pa_function *f = pa_function_of(run, &key, i + 1);
		all[i].calls = pa_calls(f);
		all[i].receivers = pa_receivers_at(f, 3);
		pa_branch_words(f, 9, &all[i].taken, &all[i].not_taken);
	}
	return all;
}

static void count(pa_run *run, const words *all, unsigned n) {
	const pa_class *c = pa_load_class(run, pa_text_of("org/example/Receiver"), NULL);
	for (unsigned i = 0; i < n; i++) {
		pa_count1(all[i].calls);
		pa_count1(all[i].taken);
		pa_count_class(all[i].receivers, c);
	}
}

/* dump writes the archive of n functions. */
static void dump(const char *path, unsigned n) {
	pa_run *run;
	pa_start("/nowhere", &vm, &run);
	words *all = set_up(run, n);
	count(run, all, n);
	must(pa_dump(run, path, NULL));
	pa_end(run);
	free(all);
}

static void measure(const char *from, const char *to, unsigned n, unsigned touched, long alone) {
	double best = 1e9, processor = 1e9;
	pa_run *run;
	pa_start(from, &vm, &run);
	words *all = set_up(run, n);
	for (unsigned i = 0; i < 5; i++) {
		count(run, all, touched);
		double start = now(CLOCK_MONOTONIC), start_processor = now(CLOCK_PROCESS_CPUTIME_ID);
		must(pa_checkpoint(run, to, NULL));
		double took = now(CLOCK_MONOTONIC) - start, worked = now(CLOCK_PROCESS_CPUTIME_ID) - start_processor;
		if (took < best) best = took;
		if (worked < processor) processor = worked;
	}
	printf("%8u %8u %-8s %10ld %10ld %8.2f %8.2f\n", n, touched, from[1] == 'n' ? "private" : "archive", size_of(to),
		alone, best, processor);
	pa_end(run);
	free(all);
}

int main(int argc, char **argv) {
	char archive[1000], to[1000];
	if (argc < 4) return 2;
	snprintf(archive, sizeof archive, "%s/all.parc", argv[1]);
	snprintf(to, sizeof to, "%s/checkpoint.parc", argv[1]);
	printf("%8s %8s %-8s %10s %10s %8s %8s\n", "set up", "touched", "words", "bytes", "alone", "ms", "cpu ms");
	for (int i = 2; i + 1 < argc; i += 2) {
		unsigned n = (unsigned)atoi(argv[i]), touched = (unsigned)atoi(argv[i + 1]);
		dump(archive, touched);
		long alone = size_of(archive);
		remove(archive);
		dump(archive, n);
		remove(to);
		measure(archive, to, n, touched, alone);
		remove(to);
		measure("/nowhere", to, n, touched, alone);
		remove(archive);
	}
	return 0;
}
