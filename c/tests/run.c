/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run is a VM that uses only profarc.h.
 *
 *	run dump|checkpoint ARCHIVE OUT N         counts N, and writes OUT
 *	run checkpoints ARCHIVE FOLDER            counts 10 and writes FOLDER/0.parc, 1.parc and so on, until it is killed
 *	run fork ARCHIVE PARENT CHILD             counts 5, forks, counts 100 in the parent and 10 in the child
 *	run fork-checkpoints ARCHIVE PARENT CHILD the same with checkpoints; the parent writes one before too
 *	run more ARCHIVE OUT N                    as dump, with points that the archive does not have
 *	run busy ARCHIVE FOLDER N                 four threads count N each, while FOLDER/0.parc to 4.parc are written
 *	run code TEXT                             prints the code id of a text
 *	run anonymous NAME ORDINAL ROOM           prints the name of a key of an anonymous function
 *	run start ARCHIVE id|no-id|other-id|other-shape
 *	                                          prints why a run begins without an archive
 *	run killed ARCHIVE OUT                    the system kills it in the middle of a dump
 *	run threads 1|2 N                         1 or 2 threads count N each in one word, which is printed
 */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pthread.h>
#include <stdlib.h>

#include "vm.h"

/* count counts n calls in a function, and the events in each call. */
static void count(pa_run *run, const pa_key *key, uint64_t n) {
	pa_function *f = pa_function_of(run, key, 1);
	pa_counter *taken, *not_taken, *operands[2];
	pa_receivers *r = pa_receivers_at(f, CALL);
	pa_branch_words(f, BRANCH, &taken, &not_taken);
	pa_words(f, ADD, OPERANDS, operands, 2);
	for (uint64_t i = 0; i < n; i++) {
		pa_count1(pa_calls(f));
		pa_count(pa_backedges(f), 3);
		pa_count1(taken);
		pa_count(not_taken, 2);
		pa_count_class(r, class_of(run, "Circle", &circle));
		pa_count_class(r, class_of(run, i % 2 == 0 ? "Square" : "Line", i % 2 == 0 ? &square : &line));
		pa_count1(operands[0]);
	}
	if (pa_load(operands[1]) < n) *operands[1] = n;
}

static void count_all(pa_run *run, uint64_t n) {
	for (unsigned i = 0; i < 2; i++) count(run, &keys[i], n << i);
}

/* count_more counts at points that no earlier run had. */
static void count_more(pa_run *run, uint64_t n) {
	pa_function *f = pa_function_of(run, &keys[0], 1);
	pa_counter *taken, *not_taken;
	pa_branch_words(f, LATER, &taken, &not_taken);
	pa_count(taken, n);
	for (uint64_t i = 0; i < n; i++)
		pa_count_class(pa_receivers_at(pa_function_of(run, &keys[0], 1), LATER), class_of(run, "Circle", &circle));
}

static void print_anonymous(char **args) {
	char *name = malloc((size_t)atoi(args[2]) + 1);
	pa_key parent = {.class_name = pa_text_of("file.js"), .name = pa_text_of(args[0])}, key;
	if (pa_anonymous_key(&parent, (uint32_t)strtoul(args[1], NULL, 10), name, (size_t)atoi(args[2]), &key))
		printf("%.*s %.*s\n", (int)key.class_name.size, key.class_name.bytes, (int)key.name.size, key.name.bytes);
	free(name);
}

static void write_checkpoints(const char *archive, const char *folder) {
	pa_run *run = start(archive);
	for (unsigned i = 0;; i++) {
		char path[1000];
		snprintf(path, sizeof path, "%s/%u.parc", folder, i);
		count_all(run, 10);
		must(pa_checkpoint(run, path, NULL));
		printf("%u\n", i);
		fflush(stdout);
	}
}

static void fork_and_count(char **args, bool checkpoints) {
	pa_run *run = start(args[0]);
	char early[1000];
	int status;
	snprintf(early, sizeof early, "%s.early", args[1]);
	count_all(run, 5);
	count_more(run, 5);
	if (checkpoints) must(pa_checkpoint(run, early, NULL));
	pid_t child = fork();
	if (child < 0) fail("no process");
	const char *path = child == 0 ? args[2] : args[1];
	count_all(run, child == 0 ? 10 : 100);
	count_more(run, child == 0 ? 10 : 100);
	must(checkpoints ? pa_checkpoint(run, path, NULL) : pa_dump(run, path, NULL));
	pa_end(run);
	if (child != 0 && (waitpid(child, &status, 0) != child || status != 0)) fail("the child failed");
}

static void print_start(const char *archive, const char *id) {
	char text[200];
	pa_run *run;
	if (strcmp(id, "no-id") == 0) memset(vm.id, 0, sizeof vm.id);
	if (strcmp(id, "other-id") == 0) vm.id[0]++;
	pa_new_shape other = shapes[0];
	if (strcmp(id, "other-shape") == 0) {
		other.n = 1;
		vm.shapes = &other;
	}
	pa_error e = pa_start(archive, &vm, &run);
	count_all(run, 1);
	printf("%d %s\n", e.code, pa_error_text(e, "app.parc", text, sizeof text));
	printf("%d\n", pa_dump(run, archive, NULL).code);
	pa_end(run);
}

/* dump_and_die writes more than the system allows, which then kills the process. */
static void dump_and_die(const char *archive, const char *to) {
	pa_run *run = start(archive);
	count_all(run, 1);
	if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, 100}) != 0) fail("files cannot be limited");
	pa_dump(run, to, NULL);
	fail("the dump did not end the process");
}

typedef struct work { pa_counter *word; uint64_t n; } work;

static void *count_alone(void *arg) {
	const work *w = arg;
	for (uint64_t i = 0; i < w->n; i++) pa_count1(w->word);
	return NULL;
}

static void print_threads(unsigned count, uint64_t n) {
	static pa_counter word;
	pthread_t threads[2];
	work w = {&word, n};
	for (unsigned i = 0; i < count; i++) pthread_create(&threads[i], NULL, count_alone, &w);
	for (unsigned i = 0; i < count; i++) pthread_join(threads[i], NULL);
	printf("%llu\n", (unsigned long long)pa_load(&word));
}

typedef struct thread_work { pa_run *run; uint64_t n; } thread_work;

static void *count_busily(void *arg) {
	const thread_work *w = arg;
	for (uint64_t i = 0; i < w->n; i++) count_shared(w->run, i);
	return NULL;
}

static void dump_busy(const char *archive, const char *folder, uint64_t n) {
	enum { THREADS = 4, DUMPS = 5 };
	thread_work w = {start(archive), n};
	pthread_t threads[THREADS];
	for (unsigned i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, count_busily, &w);
	for (unsigned i = 0; i < DUMPS; i++) {
		char path[1000];
		snprintf(path, sizeof path, "%s/%u.parc", folder, i);
		for (unsigned k = 0; i == DUMPS - 1 && k < THREADS; k++) pthread_join(threads[k], NULL);
		must(pa_checkpoint(w.run, path, NULL));
	}
	pa_end(w.run);
}

int main(int argc, char **argv) {
	if (argc < 3) fail("usage: see the source");
	const char *what = argv[1];
	if (strcmp(what, "checkpoints") == 0) write_checkpoints(argv[2], argv[3]);
	else if (strcmp(what, "threads") == 0) print_threads(argv[2][0] == '2' ? 2 : 1, strtoull(argv[3], NULL, 10));
	else if (strcmp(what, "busy") == 0) dump_busy(argv[2], argv[3], strtoull(argv[4], NULL, 10));
	else if (strcmp(what, "anonymous") == 0) print_anonymous(argv + 2);
	else if (strcmp(what, "code") == 0) printf("%llu\n", (unsigned long long)pa_code_id(pa_text_of(argv[2])));
	else if (strcmp(what, "killed") == 0) dump_and_die(argv[2], argv[3]);
	else if (strcmp(what, "start") == 0) print_start(argv[2], argv[3]);
	else if (strncmp(what, "fork", 4) == 0) fork_and_count(argv + 2, strcmp(what, "fork") != 0);
	else {
		pa_run *run = start(argv[2]);
		uint64_t n = strtoull(argv[4], NULL, 10);
		count_all(run, n);
		if (strcmp(what, "more") == 0) count_more(run, n);
		must(strcmp(what, "checkpoint") == 0 ? pa_checkpoint(run, argv[3], NULL) : pa_dump(run, argv[3], NULL));
		pa_end(run);
	}
	return 0;
}
