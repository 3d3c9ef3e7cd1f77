/* SPDX-License-Identifier: Apache-2.0 */
/* The VM of the tests, which uses profarc.h. It exits at the first error. */
#ifndef VM_H
#define VM_H

#include <stdio.h>
#include <stdlib.h>

#include <profarc.h>

enum { CALL = 3, BRANCH = 6, ADD = 9, LATER = 12, OPERANDS = PA_PRODUCER };

static const pa_new_cell cells[] = {{.name = PA_TEXT("seen"), .kind = PA_CELL_COUNT},
	{.name = PA_TEXT("largest"), .kind = PA_CELL_MAX}};
static const pa_new_shape shapes[] = {{.name = PA_TEXT("Operands"), .tag = OPERANDS, .cells = cells, .n = 2}};
static pa_vm vm = {.id = {0xb1, 0x5e, 7}, .name = PA_TEXT("test VM 1"), .shapes = shapes, .n_shapes = 1, .rows = 2};
static const pa_key keys[] = {{.class_name = PA_TEXT("A"), .name = PA_TEXT("m")},
	{.class_name = PA_TEXT("A"), .name = PA_TEXT("n")}};
static int circle, square, line; /* the VM's classes */

static void fail(const char *message) {
	fprintf(stderr, "%s\n", message);
	exit(1);
}

static void must(pa_error e) {
	char text[200];
	if (e.code != PA_OK) fail(pa_error_text(e, NULL, text, sizeof text));
}

static pa_run *start(const char *path) {
	pa_run *run;
	pa_error e = pa_start(path, &vm, &run);
	if (e.code != PA_SYSTEM) must(e);
	return run;
}

static pa_class *class_of(pa_run *run, const char *name, void *own) {
	return pa_load_class(run, pa_text_of(name), own);
}

/* count_shared counts call number i of all threads in the words that threads may share. */
static inline void count_shared(pa_run *run, uint64_t i) {
	static const char *const names[] = {"Circle", "Square", "Line"};
	void *const own[] = {&circle, &square, &line};
	pa_function *f = pa_function_of(run, &keys[i % 2], 1);
	pa_counter *taken, *not_taken, *operands[2];
	pa_branch_words(f, BRANCH, &taken, &not_taken);
	pa_words(f, ADD, OPERANDS, operands, 2);
	pa_count(pa_calls(f), 1);
	pa_count(i % 3 == 0 ? taken : not_taken, 1);
	pa_count(operands[0], 1);
	pa_count_class(pa_receivers_at(f, CALL), class_of(run, names[i % 3], own[i % 3]));
}

#endif
