/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VM's description against archives that were written with another one.
 *
 *	shapes start ARCHIVE SHAPES   starts with shapes, a letter for each, counts 1 call and dumps; prints both errors
 *	shapes rows ARCHIVE ROWS OUT  counts six classes once at a point with a number of rows, prints the number of
 *	                              classes, and of all arrivals, and dumps; OUT ends in .more for a checkpoint
 */
#include <string.h>

#include "vm.h"

#define CELL(name_, kind_) {.name = PA_TEXT(name_), .kind = kind_}

static const pa_text bit = PA_TEXT("odd");
static const pa_new_cell other_kind[] = {CELL("seen", PA_CELL_COUNT), CELL("largest", PA_CELL_MIN)},
						 other_cell[] = {CELL("seen", PA_CELL_COUNT), CELL("widest", PA_CELL_MAX)},
						 swapped[] = {CELL("largest", PA_CELL_MAX), CELL("seen", PA_CELL_COUNT)},
						 more[] = {CELL("seen", PA_CELL_COUNT), CELL("largest", PA_CELL_MAX),
							 CELL("marks", PA_CELL_BITS)},
						 named_bit[] = {CELL("seen", PA_CELL_COUNT), CELL("largest", PA_CELL_MAX),
							 {.name = PA_TEXT("marks"), .kind = PA_CELL_BITS, .bit_names = &bit, .bits = 1}};

static pa_new_shape shape_of(char letter) {
	pa_new_shape s = shapes[0];
	switch (letter) {
	case 'k': s.cells = other_kind; break;
	case 'c': s.cells = other_cell; break;
	case 's': s.cells = swapped; break;
	case 'm': s.cells = more; s.n = 3; break;
	case 'b': s.cells = named_bit; s.n = 3; break;
	case 'l': s.n = 1; break;
	case 'n': s.name = pa_text_of("Sizes"); break;
	case 'u': s.unit = 2; break;
	case 't': s.tag++; break;
	case 'x': s.tag = (uint8_t)(s.tag + 5); s.name = pa_text_of("Lengths"); break;
	}
	return s;
}

static void print_start(const char *archive, const char *letters) {
	char text[200];
	pa_new_shape list[8];
	pa_counter *words[3];
	pa_run *run;
	vm.shapes = list;
	vm.n_shapes = (uint32_t)strlen(letters);
	for (uint32_t i = 0; i < vm.n_shapes; i++) list[i] = shape_of(letters[i]);
	pa_error e = pa_start(archive, &vm, &run);
	printf("%d %s\n", e.code, pa_error_text(e, "app.parc", text, sizeof text));
	pa_function *f = pa_function_of(run, &keys[0], 1);
	pa_count(pa_calls(f), 1);
	for (uint32_t i = 0; i < vm.n_shapes; i++) pa_words(f, ADD, list[i].tag, words, 3);
	printf("%d\n", pa_dump(run, archive, NULL).code);
	pa_end(run);
}

static void count_classes(const char *archive, uint32_t rows, const char *out) {
	static const char *const names[] = {"T0", "T1", "T2", "T3", "T4", "T5"};
	const pa_class *c;
	uint64_t count, sum;
	uint32_t row = 0, n = 0;
	vm.rows = rows;
	pa_run *run = start(archive);
	pa_receivers *r = pa_receivers_at(pa_function_of(run, &keys[0], 1), CALL);
	for (unsigned i = 0; i < 6; i++) pa_count_class(r, class_of(run, names[i], &circle));
	for (sum = pa_other_classes(r); pa_next_class(r, &row, &c, &count); n++) sum += count;
	printf("%u %llu\n", n, (unsigned long long)sum);
	must(strstr(out, ".more") != NULL ? pa_checkpoint(run, out, NULL) : pa_dump(run, out, NULL));
	pa_end(run);
}

int main(int argc, char **argv) {
	if (argc < 4) fail("usage: see the source");
	if (strcmp(argv[1], "start") == 0) print_start(argv[2], argv[3]);
	else count_classes(argv[2], (uint32_t)atoi(argv[3]), argv[4]);
	return 0;
}
