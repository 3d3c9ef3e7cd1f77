/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forked counts in an archive, in a process and in its child.
 *
 *	forked ARCHIVE EARLY PARENT CHILD
 *
 * ARCHIVE has 1000 calls. The process counts 5 calls and dumps EARLY, forks, and then counts 100 in the parent and 10
 * in the child.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

static const pa_key key = {.class_name = {"A", 1}, .name = {"m", 1}};

static void record(const char *path) {
	pa_config config = {.domain = PA_GRAAL, .producer = {"VM", 2}};
	pa_builder *b;
	check(pa_builder_new(&config, &b));
	pa_begin(b, pa_intern_method(b, &key), PA_UNKNOWN_CODE, 0);
	pa_record_invocations(b, 1000);
	check(pa_done(b, NULL));
	pa_describe_run(b, &(pa_provenance){.vm = {"VM", 2}});
	check(pa_write(b, path, NULL));
	pa_builder_free(b);
}

static pa_archive *adopt(const char *path) {
	pa_archive *a;
	check(pa_open(path, NULL, &a));
	check(pa_adopt(a, PA_BASE_REQUESTED));
	return a;
}

static void count(pa_archive *a, uint64_t calls) {
	pa_profile p;
	check(pa_find_profile(a, &key, PA_ANY_CODE, &p));
	check(pa_claim(&p));
	pa_count(pa_profile_word(&p, PA_FIELD_INVOCATIONS), calls);
}

int main(int argc, char **argv) {
	must(argc == 5, "usage: forked ARCHIVE EARLY PARENT CHILD");
	record(argv[1]);
	pa_archive *a = adopt(argv[1]), *own;
	count(a, 5);
	check(pa_write_snapshot(a, PA_INCREMENTS, argv[2], NULL));
	pid_t child = fork();
	must(child >= 0, "no process");
	if (child == 0) {
		count(a, 10);
		must(pa_write_snapshot(a, PA_INCREMENTS, argv[4], NULL).code == PA_UNSUPPORTED,
			"the child dumps what its parent counted");
		count(own = adopt(argv[1]), 10);
		check(pa_write_snapshot(own, PA_INCREMENTS, argv[4], NULL));
		pa_close(own);
		pa_close(a);
		return 0;
	}
	int status;
	must(waitpid(child, &status, 0) == child && status == 0, "the child failed");
	count(a, 100);
	check(pa_write_snapshot(a, PA_INCREMENTS, argv[3], NULL));
	pa_close(a);
	return 0;
}
