//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report.h"

#include "refused.h"
#include "since_adoption.h"
#include "summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_counters(FILE *f, const counters *c) {
#define WRITE(name, text) fprintf(f, ",\n  \"%s\": %" PRIu64, text, __atomic_load_n(&c->name, __ATOMIC_RELAXED));
	AGENT_COUNTERS(WRITE)
#undef WRITE
}

static void write_report(FILE *f, const options *o, const vm *v, const layers *l, const counters *c, const watched *w) {
	fprintf(f, "{\n  \"pid\": %ld,\n  \"weight\": %" PRIu32 ",\n  \"dry_run\": %s", (long)getpid(), o->weight,
		o->dry ? "true" : "false");
	fprintf(f, ",\n  \"profiles_in_archive\": %" PRIu64, pa_info_of(l->list[0].archive)->profiles);
	if (l->n > 1) fprintf(f, ",\n  \"profiles_in_base\": %" PRIu64, pa_info_of(l->list[1].archive)->profiles);
	fprintf(f, ",\n  \"recorded_by_other_build\": %s,\n  \"methods_looked_up\": %" PRIu64,
		summary_other_build() ? "true" : "false", summary_looked_up(c));
	write_counters(f, c);
	fprintf(
		f, ",\n  \"flag_raised\": %s,\n  \"flag_restored_ms\": %" PRIu32, w->raised ? "true" : "false", w->restored);
	fputs(",\n  \"refused\": ", f);
	refused_write(f);
	if (o->drift) since_adoption_write(f, v);
	fputs("\n}\n", f);
}

/* write_text makes the text of a report. The caller frees it with free. It returns NULL if memory runs out. */
static char *write_text(
	const options *o, const vm *v, const layers *l, const counters *c, const watched *w, size_t *size) {
	char *text = NULL;
	FILE *f = open_memstream(&text, size);
	if (f == NULL) return NULL;
	write_report(f, o, v, l, c, w);
	if (fclose(f) == 0) return text;
	free(text);
	return NULL;
}

void report_write(const options *o, const vm *v, const layers *l, const counters *c, const watched *w) {
	size_t size = 0;
	char *text = write_text(o, v, l, c, w, &size);
	pa_error e = {.code = PA_SYSTEM, .message = "the process is out of memory"};
	if (text != NULL && strcmp(o->report, "-") == 0) {
		e.code = PA_OK;
		fwrite(text, 1, size, stderr);
	} else if (text != NULL) e = pa_publish(o->report, text, size);
	if (e.code != PA_OK && !o->quiet)
		fprintf(stderr, "profarc: the report can't be written to %s: %s\n", o->report, e.message);
	free(text);
}
