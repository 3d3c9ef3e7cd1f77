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

/* is_for_prometheus reports whether a file has the extension that the node exporter of Prometheus reads. */
static bool is_for_prometheus(const char *path) {
	static const char extension[] = ".prom";
	size_t n = strlen(path);
	return n >= sizeof extension && strcmp(path + n - (sizeof extension - 1), extension) == 0;
}

/* write_metric writes a number in the text format of Prometheus. The pid tells the files of several VMs apart. */
static void write_metric(FILE *f, const char *name, uint64_t n) {
	fprintf(f, "# HELP profarc_agent_%s The number %s in the report of the agent.\n", name, name);
	fprintf(f, "# TYPE profarc_agent_%s gauge\n", name);
	fprintf(f, "profarc_agent_%s{pid=\"%ld\"} %" PRIu64 "\n", name, (long)getpid(), n);
}

static void write_metrics(FILE *f, const layers *l, const counters *c) {
	write_metric(f, "profiles_in_archive", pa_info_of(l->list[0].archive)->profiles);
	if (l->n > 1) write_metric(f, "profiles_in_base", pa_info_of(l->list[1].archive)->profiles);
	write_metric(f, "methods_looked_up", summary_looked_up(c));
#define WRITE(name, text) write_metric(f, text, __atomic_load_n(&c->name, __ATOMIC_RELAXED));
	AGENT_COUNTERS(WRITE)
#undef WRITE
}

/* write_text makes the text of a report. The caller frees it with free. It returns NULL if memory runs out. */
static char *write_text(
	const options *o, const vm *v, const layers *l, const counters *c, const watched *w, size_t *size) {
	char *text = NULL;
	FILE *f = open_memstream(&text, size);
	if (f == NULL) return NULL;
	if (is_for_prometheus(o->report)) write_metrics(f, l, c);
	else write_report(f, o, v, l, c, w);
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
