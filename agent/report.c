//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "drift.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void write_counters(FILE *f, const counters *c) {
#define WRITE(name, text) fprintf(f, ",\n  \"%s\": %" PRIu64, text, __atomic_load_n(&c->name, __ATOMIC_RELAXED));
	AGENT_COUNTERS(WRITE)
#undef WRITE
}

static void write_report(FILE *f, const options *o, const vm *v, const layers *l, const counters *c, const watched *w) {
	fprintf(f, "{\n  \"pid\": %ld,\n  \"weight\": %" PRIu32 ",\n  \"dry_run\": %s", (long)getpid(), o->weight, o->dry ? "true" : "false");
	fprintf(f, ",\n  \"profiles_in_archive\": %" PRIu64, pa_info_of(l->list[0].archive)->profiles);
	if (l->n > 1) fprintf(f, ",\n  \"profiles_in_base\": %" PRIu64, pa_info_of(l->list[1].archive)->profiles);
	write_counters(f, c);
	fprintf(f, ",\n  \"flag_raised\": %s,\n  \"flag_restored_ms\": %" PRIu32, w->raised ? "true" : "false", w->restored);
	if (o->drift) drift_write(f, v);
	fputs("\n}\n", f);
}

void report_write(const options *o, const vm *v, const layers *l, const counters *c, const watched *w) {
	FILE *f = strcmp(o->report, "-") == 0 ? stderr : fopen(o->report, "we");
	if (f == NULL) {
		if (!o->quiet) fprintf(stderr, "profarc: the report can't be written to %s\n", o->report);
		return;
	}
	write_report(f, o, v, l, c, w);
	if (f != stderr) fclose(f);
}
