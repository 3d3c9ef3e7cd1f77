/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lasting is a VM that runs for a long time. It uses only profarc.h.
 *
 *	lasting dump ARCHIVE OUT            works in ROUNDS rounds, and writes a dump
 *	lasting checkpoints ARCHIVE FOLDER  works as much, and writes FOLDER/0.parc and so on, one for each round. A
 *	                                    checkpoint fails before each
 *	lasting fork ARCHIVE FOLDER         works as much, the odd rounds in a child each, which writes the checkpoint
 *	lasting evals ARCHIVE FIRST N       runs N functions of one key, with codes from FIRST on, and dumps
 *	lasting versions ARCHIVE CODE ...   runs one key with these codes, and dumps
 *	lasting released one|many N         prints the bytes of memory of a released function. The N functions have one
 *	                                    key, or a key each
 *	lasting in FOLDER N                 starts in a folder, counts N, dumps, and prints the calls so far
 *	lasting replace ARCHIVE             prints why another VM's dump and checkpoint do not replace an archive
 */
#define _DEFAULT_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm.h"

enum { FUNCTIONS = 40, ROUNDS = 12 };

static pa_function *function(pa_run *run, unsigned i) {
	char name[20];
	snprintf(name, sizeof name, "f%u", i);
	const pa_key key = {.class_name = PA_TEXT("L"), .name = pa_text_of(name)};
	return pa_function_of(run, &key, i % 3);
}

static void count(pa_run *run, unsigned i, uint64_t n) {
	pa_function *f = function(run, i);
	pa_counter *taken, *not_taken, *operands[2];
	pa_branch_words(f, BRANCH, &taken, &not_taken);
	pa_words(f, ADD, OPERANDS, operands, 2);
	pa_count(pa_calls(f), n);
	pa_count(pa_backedges(f), 2 * n);
	pa_count(n % 2 == 0 ? taken : not_taken, n);
	pa_count(operands[0], n);
	if (pa_load(operands[1]) < n) *operands[1] = n;
	for (uint64_t k = 0; k < n; k++)
		pa_count_class(pa_receivers_at(f, CALL), class_of(run, k % 2 == 0 ? "Circle" : "Square", &circle));
}

/* work counts in some functions of a round, and releases some of them. A later round uses them again. */
static void work(pa_run *run, unsigned round) {
	for (unsigned i = round % 5; i < FUNCTIONS; i += 1 + round % 4) count(run, i, 1 + (i * 7 + round) % 9);
	for (unsigned i = round % 7; i < FUNCTIONS; i += 7) pa_release(function(run, i));
}

static void checkpoint(pa_run *run, const char *folder, unsigned round) {
	char path[1000];
	if (pa_checkpoint(run, "/nowhere/at/all.parc", NULL).code == PA_OK) fail("a checkpoint was written nowhere");
	snprintf(path, sizeof path, "%s/%u.parc", folder, round);
	must(pa_checkpoint(run, path, NULL));
}

static void dump_all(const char *archive, const char *to) {
	pa_run *run = start(archive);
	for (unsigned round = 0; round < ROUNDS; round++) work(run, round);
	must(pa_dump(run, to, NULL));
	pa_end(run);
}

static void write_checkpoints(const char *archive, const char *folder, bool forks) {
	pa_run *run = start(archive);
	for (unsigned round = 0; round < ROUNDS; round++) {
		pid_t child = forks && round % 2 == 1 ? fork() : 1;
		int status = 0;
		if (child < 0) fail("no process");
		if (child == 0 || !forks || round % 2 == 0) {
			work(run, round);
			checkpoint(run, folder, round);
		} else if (waitpid(child, &status, 0) != child || status != 0) fail("a child failed");
		if (child == 0) break;
	}
	pa_end(run);
}

static pa_function *eval(pa_run *run, const char *name, uint64_t code) {
	const pa_key key = {.class_name = PA_TEXT("E"), .name = pa_text_of(name)};
	return pa_function_of(run, &key, code);
}

static void run_evals(const char *archive, uint64_t first, uint64_t n) {
	pa_lost lost;
	pa_run *run = start(archive);
	for (uint64_t i = 0; i < n; i++) {
		pa_function *f = eval(run, "eval", first + i);
		pa_counter *taken, *not_taken;
		pa_branch_words(f, BRANCH, &taken, &not_taken);
		pa_count(pa_calls(f), i + 1);
		pa_count(taken, i);
		if (i % 2 == 0) pa_release(f);
	}
	must(pa_dump(run, archive, &lost));
	printf("%llu\n", (unsigned long long)lost.versions);
	pa_end(run);
}

static void run_versions(const char *archive, char **codes) {
	pa_run *run = start(archive);
	for (; *codes != NULL; codes++) pa_count(pa_calls(eval(run, "v", strtoull(*codes, NULL, 10))), 1);
	must(pa_dump(run, archive, NULL));
	pa_end(run);
}

/* count_few counts at a few points. */
static void count_few(pa_run *run, pa_function *f) {
	pa_counter *taken, *not_taken;
	pa_branch_words(f, BRANCH, &taken, &not_taken);
	pa_count(pa_calls(f), 1000);
	pa_count(taken, 900);
	pa_count(not_taken, 100);
	pa_count_class(pa_receivers_at(f, CALL), class_of(run, "Circle", &circle));
}

static void print_released(bool one, unsigned n) {
	char name[60];
	vm.versions = n;
	pa_run *run = start("/nowhere/at/all.parc");
	for (unsigned i = 0; i < 1000; i++) pa_release(eval(run, "first", i));
	size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof name, "lambda%u", one ? 0 : i);
		pa_function *f = eval(run, name, i + 1);
		count_few(run, f);
		pa_release(f);
	}
	printf("%zu\n", (mallinfo2().uordblks + mallinfo2().hblkhd - before) / n);
	pa_end(run);
}

static void start_in(const char *folder, uint64_t n) {
	pa_run *run;
	pa_error e = pa_start_in(folder, &vm, &run);
	if (e.code != PA_OK && (e.code != PA_SYSTEM || run == NULL)) must(e);
	pa_count(pa_calls(eval(run, "in", 1)), n);
	printf("%llu\n", (unsigned long long)pa_load(pa_calls(eval(run, "in", 1))));
	must(pa_dump(run, NULL, NULL));
	pa_end(run);
}

static void print_replacing(const char *archive) {
	for (unsigned i = 0; i < 2; i++) {
		pa_run *run;
		vm.id[0]++;
		pa_start("/nowhere/at/all.parc", &vm, &run);
		pa_error e = i == 0 ? pa_dump(run, archive, NULL) : pa_checkpoint(run, archive, NULL);
		printf("%d %s\n", e.code, e.message);
		pa_end(run);
	}
}

int main(int argc, char **argv) {
	if (argc < 3) fail("usage: see the source");
	const char *what = argv[1];
	if (strcmp(what, "dump") == 0) dump_all(argv[2], argv[3]);
	else if (strcmp(what, "checkpoints") == 0) write_checkpoints(argv[2], argv[3], false);
	else if (strcmp(what, "fork") == 0) write_checkpoints(argv[2], argv[3], true);
	else if (strcmp(what, "evals") == 0) run_evals(argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
	else if (strcmp(what, "versions") == 0) run_versions(argv[2], argv + 3);
	else if (strcmp(what, "released") == 0) print_released(argv[2][0] == 'o', (unsigned)atoi(argv[3]));
	else if (strcmp(what, "in") == 0) start_in(argv[2], strtoull(argv[3], NULL, 10));
	else if (strcmp(what, "replace") == 0) print_replacing(argv[2]);
	return 0;
}
