/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice runs a VM four times and prints what a fifth run is advised. Its functions are the ones of advice_test.go.
 *
 *	advice dumps ARCHIVE         replaces the archive after each run
 *	advice checkpoints FOLDER    writes FOLDER/0.parc, which all runs begin with, and FOLDER/1.parc to 9.parc
 *	advice print ARCHIVE         prints what a run with the archive is advised
 */
#include <string.h>

#include "vm.h"

static pa_function *function(pa_run *run, const char *name) {
	const pa_key key = {.name = pa_text_of(name)};
	return pa_function_of(run, &key, 7);
}

/* call counts calls, and branches of which a share in percent is taken. */
static void call(pa_run *run, const char *name, uint64_t calls, uint64_t percent) {
	pa_function *f = function(run, name);
	pa_counter *taken, *not_taken;
	pa_count(pa_calls(f), calls);
	pa_branch_words(f, BRANCH, &taken, &not_taken);
	pa_count(taken, calls * percent / 100);
	pa_count(not_taken, calls - calls * percent / 100);
}

static void run_and_dump(const char *path, unsigned i) {
	pa_run *run = start(path);
	call(run, "cold", 1, 100);
	call(run, "stable", 1000000, 90);
	call(run, "fickle", 500000, i % 2 == 0 ? 90 : 10);
	call(run, "failing", 500000, 90);
	pa_count(pa_deopts(function(run, "failing"), BRANCH, 5), 2);
	pa_count(pa_deopts(function(run, "failing"), BRANCH, PA_DEOPT_CAUSES), 2);
	pa_count(pa_loop(function(run, "stable"), LATER), 3);
	if (i > 1) pa_release(function(run, "cold"));
	must(pa_dump(run, path, NULL));
	must(pa_dump(run, path, NULL)); /* the run counts once */
	pa_end(run);
}

static void write_checkpoints(const char *folder) {
	char first[1000], path[1000];
	unsigned n = 0;
	snprintf(first, sizeof first, "%s/0.parc", folder);
	pa_run *run = start(first);
	call(run, "f", 1000, 90);
	must(pa_dump(run, first, NULL));
	pa_end(run);
	for (unsigned i = 0; i < 3; i++) {
		run = start(first);
		for (unsigned k = 0; k < 3; k++) {
			call(run, "f", 1000, k == 0 ? 90 : 0);
			call(run, "g", 5, 0);
			snprintf(path, sizeof path, "%s/none/none.parc", folder);
			if (pa_checkpoint(run, path, NULL).code != PA_SYSTEM) fail("a checkpoint is written into no folder");
			snprintf(path, sizeof path, "%s/%u.parc", folder, ++n);
			must(pa_checkpoint(run, path, NULL));
		}
		pa_end(run);
	}
}

static void print_advice(pa_run *run, const char *name) {
	pa_advice a;
	pa_advice_of(function(run, name), &a);
	printf("%s: %s, %s, %llu runs, %llu changed, %llu deopts\n", name, a.reason,
		a.compile ? a.count ? "compile and count" : "compile" : a.count ? "count" : "neither",
		(unsigned long long)a.runs, (unsigned long long)a.changed, (unsigned long long)a.deopts);
}

/* print_target prints the certainty of a class before and after it arrived 9 times. */
static void print_target(pa_run *run) {
	pa_receivers *r = pa_receivers_at(function(run, "fresh"), CALL);
	const pa_class *c = NULL;
	double certainty;
	if (pa_target(r, &c, &certainty)) fail("a class without arrivals is a target");
	for (int i = 0; i < 8; i++) pa_count_class(r, class_of(run, "Circle", NULL));
	pa_count_class(r, NULL);
	if (!pa_target(r, &c, &certainty)) fail("there is no target");
	printf("target %.*s %.2f\n", (int)c->name.size, c->name.bytes, certainty);
}

static void print_all(const char *path) {
	static const char *const names[] = {"fresh", "cold", "stable", "fickle", "failing", "f", "g"};
	pa_run *run = start(path);
	pa_hot_function hot;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) print_advice(run, names[i]);
	for (uint32_t row = 0; pa_hot(run, &row, &hot);)
		printf("hot %.*s%.*s %llu, code %llu, first %llu\n", (int)hot.key.name.size, hot.key.name.bytes,
			(int)hot.key.signature.size, hot.key.signature.bytes, (unsigned long long)hot.weight,
			(unsigned long long)hot.code, (unsigned long long)hot.first);
	printf("iterations %llu\n", (unsigned long long)pa_load(pa_loop(function(run, "stable"), LATER)));
	if (pa_coverage(run) != 0) fail("there is coverage before the first call");
	call(run, "fresh", 10, 50);
	call(run, "stable", 30, 90);
	pa_release(function(run, "stable"));
	printf("coverage %.2f\n", pa_coverage(run));
	print_target(run);
	pa_end(run);
}

int main(int argc, char **argv) {
	if (argc != 3) fail("usage: see the source");
	if (strcmp(argv[1], "checkpoints") == 0) write_checkpoints(argv[2]);
	else if (strcmp(argv[1], "print") == 0) print_all(argv[2]);
	else
		for (unsigned i = 0; i < 4; i++) run_and_dump(argv[2], i);
	return 0;
}
