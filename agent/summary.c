//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct { char vm[128], archive[128]; bool other; } builds;

/* version_of copies the first text in parentheses of a VM's description, which is its version. */
static void version_of(char *to, size_t room, pa_text vm) {
	const char *begin = memchr(vm.bytes, '(', vm.size);
	size_t n = begin == NULL ? 0 : vm.size - (size_t)(++begin - vm.bytes);
	const char *end = n == 0 ? NULL : memchr(begin, ')', n);
	snprintf(to, room, "%.*s", end == NULL ? 0 : (int)(end - begin), begin == NULL ? "" : begin);
}

void summary_begin(jvmti_env *ti, const layer *top) {
	enum { VM_COLUMN = 13 };
	pa_table runs;
	pa_text vm;
	char *text;
	if (ti_property(ti, "java.vm.version", &text) != JVM_OK) return;
	snprintf(builds.vm, sizeof builds.vm, "%s", text);
	ti_deallocate(ti, text);
	if (pa_table_get(top->archive, PA_TABLE_RUNS, &runs).code != PA_OK) return;
	for (uint32_t i = 0; i < runs.rows; i++) {
		if (pa_symbol_at(top->archive, (pa_ref)pa_table_cell(&runs, VM_COLUMN, i), &vm).code != PA_OK) return;
		version_of(builds.archive, sizeof builds.archive, vm);
		builds.other = *builds.archive != 0 && strcmp(builds.archive, builds.vm) != 0;
		if (!builds.other) return;
	}
}

bool summary_other_build(void) { return builds.other; }

static uint64_t read_counter(const uint64_t *n) { return __atomic_load_n(n, __ATOMIC_RELAXED); }

uint64_t summary_looked_up(const counters *c) {
	return read_counter(&c->adopted) + read_counter(&c->kept_cache) + read_counter(&c->refused_code) +
		read_counter(&c->refused_layout) + read_counter(&c->refused_started) + read_counter(&c->refused_absent) +
		read_counter(&c->refused_damaged) + read_counter(&c->refused_memory);
}

void summary_write(const options *o, const counters *c) {
	const struct { const uint64_t *n; const char *why; } reasons[] = {
		{&c->kept_cache, "kept the profile of the VM's cache"},
		{&c->refused_code, "have other bytecodes"},
		{&c->refused_absent, "are not in their class"},
		{&c->refused_started, "had begun to count"},
		{&c->refused_layout, "have other profile points"},
		{&c->refused_damaged, "are damaged in the archive"},
		{&c->refused_memory, "had no memory"},
	};
	uint64_t all = summary_looked_up(c), had = read_counter(&c->adopted) + read_counter(&c->kept_cache), n;
	/* The share leaves out methods that ran too early, since their profiles were not compared. */
	bool few = had * 100 < (all - read_counter(&c->refused_started)) * o->warn;
	if (all == 0 || o->quiet || o->dry || (!few && !builds.other)) return;
	char line[1024];
	int at = snprintf(line, sizeof line, "profarc: %s%" PRIu64 " of %" PRIu64 " methods (%" PRIu64 "%%) adopted",
		few ? "only " : "", read_counter(&c->adopted), all, read_counter(&c->adopted) * 100 / all);
	if (builds.other) at += snprintf(line + at, sizeof line - (size_t)at, ", recorded with %s", builds.archive);
	for (size_t i = 0, said = 0; i < sizeof reasons / sizeof *reasons; i++)
		if ((n = read_counter(reasons[i].n)) > 0)
			at += snprintf(line + at, sizeof line - (size_t)at, "%s%" PRIu64 " %s", said++ == 0 ? "; " : ", ", n,
				reasons[i].why);
	fprintf(stderr, "%s%s\n", line, few ? "; if the program or its agents have changed, train anew" : "");
}
