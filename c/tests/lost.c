/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lost counts functions and classes with names that the format cannot hold, and functions of unknown code, and dumps
 * them three times. It prints what the dumps omitted.
 *
 *	lost ARCHIVE
 */
#include <string.h>

#include "vm.h"

enum { TOO_LONG = (1 << 20) + 1 };

static void count_named(pa_run *run, pa_text name, uint64_t code, unsigned n) {
	const pa_key key = {.class_name = PA_TEXT("A"), .name = name};
	for (unsigned i = 0; i < n; i++) pa_count1(pa_calls(pa_function_of(run, &key, code)));
}

static void print_counts(pa_run *run) {
	const pa_key unknown = {.class_name = PA_TEXT("A"), .name = PA_TEXT("unknown")};
	const pa_receivers *r = pa_receivers_at(pa_function_of(run, &keys[0], 1), CALL);
	const pa_class *c;
	uint64_t count;
	printf("unknown code %llu,", (unsigned long long)pa_load(pa_calls(pa_function_of(run, &unknown, 0))));
	for (uint32_t row = 0; pa_next_class(r, &row, &c, &count);)
		printf(" %zu bytes %llu,", c->name.size, (unsigned long long)count);
	printf(" others %llu\n", (unsigned long long)pa_other_classes(r));
}

static void print_lost(const pa_lost *lost) {
	printf("%llu profiles, %llu rows, code %d, first %s\n", (unsigned long long)lost->profiles,
		(unsigned long long)lost->rows, lost->error.code, lost->first);
}

int main(int argc, char **argv) {
	if (argc != 2) fail("usage: lost ARCHIVE");
	char *text = malloc(TOO_LONG);
	if (text == NULL) fail("no memory");
	memset(text, 'x', TOO_LONG);
	const pa_text with_nul = PA_TEXT("n\0ul"), too_long = {text, TOO_LONG}, longest = {text, TOO_LONG - 1};
	for (unsigned i = 0; i < 3; i++) {
		pa_run *run = start(argv[1]);
		pa_lost lost;
		pa_receivers *r = pa_receivers_at(pa_function_of(run, &keys[0], 1), CALL);
		pa_count_class(r, pa_load_class(run, i == 2 ? too_long : with_nul, NULL));
		pa_count_class(r, class_of(run, "Circle", NULL));
		if (i > 0) count_named(run, i == 1 ? with_nul : too_long, 7, 2);
		count_named(run, longest, 7, 1);
		count_named(run, (pa_text)PA_TEXT("unknown"), i == 1 ? 0 : UINT64_MAX, 1);
		print_counts(run);
		must(pa_dump(run, argv[1], &lost));
		print_lost(&lost);
		pa_end(run);
	}
	free(text);
	return 0;
}
