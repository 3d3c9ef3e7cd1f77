/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers is a server that forks workers after it has set up its functions. It uses only profarc.h.
 *
 *	workers ARCHIVE FOLDER FUNCTIONS WORKERS
 *
 * It makes ARCHIVE of FUNCTIONS functions if it is missing, begins a run with it, counts once in each, and forks
 * WORKERS. Each counts in a tenth of the functions, and writes the checkpoint FOLDER/<number>.parc. The server then
 * writes FOLDER/server.parc. It prints the mean memory of a worker in kB: its proportional share (PSS) and its private
 * changed pages, after the fork, after counting and after the checkpoint, when all workers are alive.
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm.h"

enum { TIMES = 3, WORKERS = 100 };

/* The words of a function. */
typedef struct words { pa_counter *calls, *taken, *not_taken; } words;

static words *set_up(pa_run *run, unsigned n) {
	words *all = calloc(n, sizeof *all);
	for (unsigned i = 0; all != NULL && i < n; i++) {
		char class_name[40], name[40];
		snprintf(class_name, sizeof class_name, "org/example/Class%05u", i / 10);
		snprintf(name, sizeof name, "method%06u", i);
		const pa_key key = {pa_text_of(class_name), pa_text_of(name), PA_TEXT("()V"), PA_TEXT("")};
		pa_function *f = pa_function_of(run, &key, 1);
		all[i].calls = pa_calls(f);
		pa_branch_words(f, 9, &all[i].taken, &all[i].not_taken);
		for (int point = 100; point < 104; point++) { /* they make the archive larger */
			pa_counter *taken, *not_taken;
			pa_branch_words(f, point, &taken, &not_taken);
		}
	}
	return all;
}

static void count(const words *all, unsigned from, unsigned to) {
	for (unsigned i = from; i < to; i++) {
		pa_count1(all[i].calls);
		pa_count1(all[i].taken);
	}
}

static long field(const char *name) {
	char line[200];
	long kb = 0;
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	if (f == NULL) fail("no smaps_rollup");
	while (fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, name, strlen(name)) == 0) kb = atol(line + strlen(name));
	fclose(f);
	return kb;
}

/* report sends the memory to the server, and waits until all workers have done so. */
static void report(int to, int go) {
	long kb[] = {field("Pss:"), field("Private_Dirty:")};
	char byte;
	if (write(to, kb, sizeof kb) != sizeof kb || read(go, &byte, 1) != 1) fail("the server is gone");
}

static void work(pa_run *run, const words *all, unsigned n, unsigned i, const char *folder, int to, int go) {
	char path[1000];
	unsigned from = n / 10 * (i % 10);
	report(to, go);
	count(all, from, from + n / 10);
	report(to, go);
	snprintf(path, sizeof path, "%s/%u.parc", folder, i);
	must(pa_checkpoint(run, path, NULL));
	report(to, go);
}

static void print_means(int from, int (*go)[2], unsigned workers) {
	for (unsigned time = 0; time < TIMES; time++) {
		long sum[2] = {0}, kb[2];
		for (unsigned i = 0; i < workers; i++) {
			if (read(from, kb, sizeof kb) != sizeof kb) fail("a worker is gone");
			sum[0] += kb[0];
			sum[1] += kb[1];
		}
		printf("%ld %ld\n", sum[0] / workers, sum[1] / workers);
		for (unsigned i = 0; i < workers; i++)
			if (write(go[i][1], "", 1) != 1) fail("a worker is gone");
	}
}

int main(int argc, char **argv) {
	int up[2], down[WORKERS][2], status;
	char path[1000];
	if (argc != 5) fail("usage: see the source");
	unsigned n = (unsigned)atoi(argv[3]), workers = (unsigned)atoi(argv[4]);
	if (access(argv[1], F_OK) != 0) {
		pa_run *first = start(argv[1]);
		free(set_up(first, n));
		must(pa_dump(first, argv[1], NULL));
		pa_end(first);
	}
	pa_run *run = start(argv[1]);
	words *all = set_up(run, n);
	count(all, 0, n);
	if (workers > WORKERS || pipe(up) != 0) fail("no pipe");
	for (unsigned i = 0; i < workers; i++) {
		if (pipe(down[i]) != 0) fail("no pipe");
		pid_t child = fork();
		if (child < 0) fail("no process");
		if (child == 0) {
			work(run, all, n, i, argv[2], up[1], down[i][0]);
			_exit(0);
		}
	}
	print_means(up[0], down, workers);
	for (unsigned i = 0; i < workers; i++)
		if (wait(&status) < 0 || status != 0) fail("a worker failed");
	snprintf(path, sizeof path, "%s/server.parc", argv[2]);
	must(pa_checkpoint(run, path, NULL));
	pa_end(run);
	free(all);
	return 0;
}
