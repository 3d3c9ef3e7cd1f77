/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache is a VM with an inline cache that counts the classes of a call. Run it twice. The second run knows from the
 * first which class the call should be compiled for.
 *
 *	cc -std=c11 $(pkg-config --cflags --libs profarc) -pthread -o cache cache.c && ./cache cache.parc
 */
#include <inttypes.h>
#include <stdio.h>

#include <profarc.h>

enum { CALL = 3 };
static const pa_vm vm = {.name = PA_TEXT("cache VM 1"), .id = {0xca, 0xc4, 0xe0, 0x51, 0x3d, 0x88, 0x42, 0x07}};
static const pa_key key = {PA_TEXT("Shapes"), PA_TEXT("total"), PA_TEXT("()I"), PA_TEXT("")};
static int circle, square; /* the VM's classes */

/* An inline cache has the class that arrived last at a call, and the counter of its row. */
typedef struct cache { const pa_class *class_; pa_counter *count; } cache;

/* arrive counts the class of a receiver. A hit costs a comparison and an addition. */
static void arrive(cache *c, pa_receivers *call, const pa_class *class_) {
	if (c->class_ == class_ && c->count != NULL) pa_count1(c->count);
	else *c = (cache){class_, pa_count_class1(call, class_)};
}

int main(int argc, char **argv) {
	pa_run *run;
	cache here = {NULL, NULL};
	if (argc != 2) {
		fputs("usage: cache ARCHIVE\n", stderr);
		return 2;
	}
	pa_start(argv[1], &vm, &run);
	pa_receivers *call = pa_receivers_at(pa_function_of(run, &key, 1), CALL);
	const pa_class *classes[] = {
		pa_load_class(run, pa_text_of("Circle"), &circle), pa_load_class(run, pa_text_of("Square"), &square)};
	const pa_class *known;
	double certainty;
	bool certain = pa_target(call, &known, &certainty) && certainty >= 0.95;
	printf("compile for %s\n", !certain ? "any class" : known->own == &circle ? "Circle" : "Square");

	for (unsigned i = 0; i < 1000; i++) arrive(&here, call, classes[i % 100 == 99]); /* the interpreter */

	const pa_class *class_;
	uint64_t count;
	for (uint32_t row = 0; pa_next_class(call, &row, &class_, &count);)
		printf("%.*s %" PRIu64 "\n", (int)class_->name.size, class_->name.bytes, count);
	pa_error e = pa_dump(run, argv[1], NULL);
	pa_end(run);
	return e.code != PA_OK;
}
