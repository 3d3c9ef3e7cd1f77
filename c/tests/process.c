/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process dumps the counts of this process twice, to FIRST after 3 calls and to SECOND after 5.
 *
 *	process FIRST SECOND
 */
#include "client.h"

/* dump writes a profile with a number of calls. */
static void dump(const char *path, uint64_t calls) {
	pa_config config = {.domain = PA_GRAAL, .producer = pa_text_of("VM")};
	pa_key key = {.class_name = pa_text_of("A"), .name = pa_text_of("m")};
	pa_builder *b;
	check(pa_builder_new(&config, &b));
	pa_begin(b, pa_intern_method(b, &key), PA_UNKNOWN_CODE, 0);
	pa_record_invocations(b, calls);
	check(pa_done(b, NULL));
	/* is determined by the library */
	check(pa_describe_process(b, &(pa_provenance){.vm = pa_text_of("VM"), .process = 7}));
	check(pa_write(b, path, NULL));
	must(pa_describe_process(b, NULL).code == PA_ARGUMENT, "one dump is described twice");
	pa_builder_free(b);
}

int main(int argc, char **argv) {
	must(argc == 3, "usage: process FIRST SECOND");
	dump(argv[1], 3);
	dump(argv[2], 5);
	return 0;
}
