/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failing makes each allocation of a run fail in turn, first alone and then with all later ones.
 *
 *	failing ARCHIVE OUT
 *
 * Counting never stops the run. When no allocation fails any more, it writes OUT and prints the number of runs with a
 * failure. It is linked with --wrap for malloc, calloc and realloc.
 */
#include <profarc.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t allocations, failing; /* 0 for no failure */
static bool always;                   /* later allocations fail too */

static bool fails(void) {
	bool now = ++allocations == failing || (always && allocations > failing);
	if (now) errno = ENOMEM;
	return now;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n) { return fails() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *p, size_t n) { return fails() ? NULL : __real_realloc(p, n); }

static const pa_new_cell cells[] = {{.name = PA_TEXT("seen"), .kind = PA_CELL_COUNT},
	{.name = PA_TEXT("largest"), .kind = PA_CELL_MAX}};
static const pa_new_shape shapes[] = {{.name = PA_TEXT("Operands"), .tag = PA_PRODUCER, .cells = cells, .n = 2}};
static const pa_vm vm = {
	.id = {0xb1, 0x5e, 7}, .name = PA_TEXT("test VM 1"), .shapes = shapes, .n_shapes = 1, .rows = 2};

/* count counts once in every word of a function. */
static void count(pa_run *run, const pa_key *key, int32_t more) {
	pa_function *f = pa_function_of(run, key, 1);
	pa_counter *taken, *not_taken, *operands[2];
	pa_class *circle = pa_load_class(run, pa_text_of("Circle"), &allocations);
	pa_receivers *r = pa_receivers_at(f, 3 + more);
	pa_branch_words(f, 6 + more, &taken, &not_taken);
	pa_words(f, 9 + more, PA_PRODUCER, operands, 2);
	pa_count1(pa_calls(f));
	pa_count1(pa_backedges(f));
	pa_count1(taken);
	pa_count1(not_taken);
	pa_count1(operands[0]);
	pa_count1(operands[1]);
	pa_count_class(r, circle);
}

/* run_once reports whether a dump was written. */
static bool run_once(const char *archive, const char *to) {
	const pa_key keys[] = {{.name = PA_TEXT("m")}, {.class_name = PA_TEXT("A"), .name = PA_TEXT("m")}};
	pa_run *run;
	pa_start(archive, &vm, &run);
	count(run, &keys[0], 0);
	count(run, &keys[1], 0);
	count(run, &keys[1], 100);
	bool ok = pa_checkpoint(run, to, NULL).code == PA_OK;
	count(run, &keys[1], 0);
	ok = pa_checkpoint(run, to, NULL).code == PA_OK && ok;
	pa_end(run);
	return ok;
}

/* fail_each returns the number of failed runs before the first success. It returns 0 if the run fails with every
 * allocation. */
static uint64_t fail_each(const char *archive, const char *to) {
	for (failing = 1; failing < 1000000; failing++) {
		allocations = 0;
		bool ok = run_once(archive, to);
		if (allocations < failing) return ok ? failing - 1 : 0;
	}
	return 0;
}

int main(int argc, char **argv) {
	if (argc != 3) return 2;
	uint64_t once = fail_each(argv[1], argv[2]);
	always = true;
	uint64_t from_then_on = fail_each(argv[1], argv[2]);
	printf("%llu\n", (unsigned long long)(once + from_then_on));
	return once == 0 || from_then_on == 0;
}
