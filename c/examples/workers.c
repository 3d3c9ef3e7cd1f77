/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers is a server that forks workers. Each worker writes checkpoints. When the workers of a generation have ended,
 * the server merges what they counted into its archive and begins a new run with it, so that the first request of a new
 * worker begins with the profile of all.
 *
 *	workers    in an empty folder, with profarc in the PATH
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <profarc.h>

enum { GENERATIONS = 3, WORKERS = 4, REQUESTS = 1000 };

static const pa_vm vm = {.name = PA_TEXT("workers VM 1"), .id = {0x3c, 0x91, 0x5a, 0x07, 0x2c, 0x44}};
static const pa_key key = {PA_TEXT("Server"), PA_TEXT("handle"), PA_TEXT("()V"), PA_TEXT("")};

/* work handles requests and writes what it counted. A long-lived worker does so every few minutes. */
static int work(pa_run *run, pa_counter *requests, int generation, int number) {
	char path[100];
	for (int i = 0; i < REQUESTS; i++) pa_count1(requests);
	snprintf(path, sizeof path, "checkpoint-%d-%d.parc", generation, number);
	return pa_checkpoint(run, path, NULL).code != PA_OK;
}

/* serve sets the functions up once and forks the workers. They share the pages that they do not count in. */
static void serve(int generation) {
	pa_run *run;
	pa_start("app.parc", &vm, &run); /* without an archive at first */
	pa_counter *requests = pa_calls(pa_function_of(run, &key, 1));
	printf("generation %d begins with %llu requests\n", generation, (unsigned long long)pa_load(requests));
	fflush(stdout);
	for (int i = 0; i < WORKERS; i++)
		if (fork() == 0) _exit(work(run, requests, generation, i));
	while (wait(NULL) > 0) {}
	pa_end(run);
}

int main(void) {
	for (int i = 0; i < GENERATIONS; i++) {
		serve(i);
		/* the archive, if there is one, and the checkpoints */
		if (system("profarc merge *.parc -o next.parc && mv next.parc app.parc && rm checkpoint-*.parc") != 0) return 1;
	}
	return 0;
}
