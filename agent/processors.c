//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "processors.h"

#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the quota ---- */

double processors_quota(const char *text) {
	char *end;
	double quota = strtod(text, &end), period;
	if (end == text || quota <= 0) return 0;
	period = strtod(end, &end);
	return period <= 0 ? 0 : quota / period;
}

/* read_text appends the content of a file to a text. */
static bool read_text(const char *path, char *text, size_t room) {
	FILE *f = fopen(path, "re");
	size_t at = strlen(text);
	if (f == NULL) return false;
	at += fread(text + at, 1, room - at - 1, f);
	text[at] = 0;
	fclose(f);
	return true;
}

/* quota_of returns the quota in a cgroup folder of version 2 or 1, or 0. */
static double quota_of(const char *folder) {
	char path[1200], text[128] = "";
	snprintf(path, sizeof path, "%s/cpu.max", folder);
	if (read_text(path, text, sizeof text)) return processors_quota(text);
	snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
	bool both = read_text(path, text, sizeof text);
	snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
	return both && read_text(path, text, sizeof text) ? processors_quota(text) : 0;
}

/* least_quota returns the lowest quota of a cgroup and its ancestors. In a container the mount point is the container's
 * cgroup. */
static double least_quota(const char *mount, char *group) {
	char folder[1100];
	double least = 0;
	for (char *end = group + strlen(group);; end = strrchr(group, '/')) {
		if (end == NULL) return least;
		*end = 0;
		snprintf(folder, sizeof folder, "%s%s", mount, group);
		double quota = quota_of(folder);
		if (quota > 0 && (least == 0 || quota < least)) least = quota;
	}
}

/* has_word reports whether a list separated by commas has a word. */
static bool has_word(const char *list, const char *word) {
	size_t n = strlen(word);
	for (const char *at = list; at != NULL; at = strchr(at, ','), at += at != NULL)
		if (strncmp(at, word, n) == 0 && (at[n] == 0 || at[n] == ',')) return true;
	return false;
}

/* group_quota returns the quota for a line of /proc/self/cgroup, which has number, controllers and group. */
static double group_quota(char *line) {
	char *controllers = strchr(line, ':'), *group = controllers == NULL ? NULL : strchr(controllers + 1, ':'),
		 mount[128];
	if (group == NULL) return 0;
	*controllers++ = 0;
	*group++ = 0;
	group[strcspn(group, "\n")] = 0;
	if (*controllers == 0) return least_quota("/sys/fs/cgroup", group);
	if (!has_word(controllers, "cpu")) return 0;
	snprintf(mount, sizeof mount, "/sys/fs/cgroup/%.100s", controllers);
	return least_quota(access(mount, F_OK) == 0 ? mount : "/sys/fs/cgroup/cpu", group);
}

static double quota(void) {
	char line[1000];
	double least = 0;
	FILE *f = fopen("/proc/self/cgroup", "re");
	if (f == NULL) return 0;
	while (fgets(line, sizeof line, f) != NULL) {
		double q = group_quota(line);
		if (q > 0 && (least == 0 || q < least)) least = q;
	}
	fclose(f);
	return least;
}

double processors_available(void) {
	cpu_set_t set;
	double n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (double)sysconf(_SC_NPROCESSORS_ONLN),
		   q = quota();
	return q > 0 && q < n ? q : n;
}

/* ---- threads ---- */

static bool is_named(const char *id, const char *name) {
	char path[64], text[32] = "";
	snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", id);
	return read_text(path, text, sizeof text) && strncmp(text, name, strlen(name)) == 0;
}

threads threads_named(const char *name) {
	enum { ROOM = sizeof ((threads *)0)->ids / sizeof *((threads *)0)->ids };
	threads t = {.n = 0};
	DIR *d = opendir("/proc/self/task");
	if (d == NULL) return t;
	for (struct dirent *e; t.n < ROOM && (e = readdir(d)) != NULL;)
		if (e->d_name[0] != '.' && is_named(e->d_name, name)) t.ids[t.n++] = atoi(e->d_name);
	closedir(d);
	return t;
}

/* clock_of returns the CPU clock of a thread of this process, as Linux numbers them. */
static clockid_t clock_of(int id) {
	enum { SCHEDULED = 2, ONE_THREAD = 4 };
	return (clockid_t)((~(unsigned)id << 3) | ONE_THREAD | SCHEDULED);
}

uint64_t threads_time(const threads *t) {
	uint64_t sum = 0;
	struct timespec s;
	for (int i = 0; i < t->n; i++)
		if (clock_gettime(clock_of(t->ids[i]), &s) == 0) sum += (uint64_t)s.tv_sec * 1000000000u + (uint64_t)s.tv_nsec;
	return sum;
}

uint64_t threads_demand(const threads *t) {
	uint64_t sum = 0;
	for (int i = 0; i < t->n; i++) {
		char path[64], text[128] = "";
		unsigned long long ran, waited;
		snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", t->ids[i]);
		if (read_text(path, text, sizeof text) && sscanf(text, "%llu %llu", &ran, &waited) == 2) sum += ran + waited;
	}
	return sum;
}
