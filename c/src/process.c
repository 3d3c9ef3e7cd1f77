/* SPDX-License-Identifier: Apache-2.0 */
/* Identification of the process, so that a merge recognizes two dumps of one process. profarc finds the same values
 * from outside. */
#include "build.h"

/* is_described reports whether the table runs has a row for the builder's dump. */
static bool is_described(pa_builder *b) {
	const new_table *t = pai_table(b, PA_TABLE_RUNS);
	uint8_t *id = b->config.dump_id;
	for (size_t at = 0; t != NULL && at < t->cells.size; at += 8 * (size_t)t->columns)
		if (get64(t->cells.bytes + at) == get64(id) && get64(t->cells.bytes + at + 8) == get64(id + 8)) return true;
	return false;
}

pa_error pa_describe_process(pa_builder *b, const pa_provenance *run) { return pai_describe_run_of(b, run, 0); }

pa_error pai_describe_run_of(pa_builder *b, const pa_provenance *run, uint32_t number) {
	pa_provenance r = run != NULL ? *run : (pa_provenance){0};
	pa_error e = pai_none();
	if (!sound(b)) return pai_error_of(b);
	if (is_described(b)) {
		pai_refuse(b, PA_ARGUMENT, "the run of the dump is described already");
		return b->error;
	}
	if (!pai_this_process(&r)) {
		pai_fail(&e, PA_UNSUPPORTED, "the system does not say which process this is");
		return e;
	}
	r.name_space |= (uint64_t)number << 32;
	static const uint8_t none[16];
	if (memcmp(r.since, none, 16) == 0) memcpy(r.since, b->since, 16);
	if (!pai_draw(b, b->config.dump_id)) return b->error;
	b->config.dump_time = pai_now();
	pa_describe_run(b, &r);
	return b->error;
}
