//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "watch.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "counters.h"
#include "relieve.h"

/* A flag of the VM that is raised while the program warms up. All are intx, read at each event of the compilation
 * policy. */
typedef struct raised { const char *name; vm_flag flag; int64_t before, value; } raised;

/* TieredOldPercentage lets a method that was not called for long be compiled with profiling as others are. The
 * thresholds of tier 4 are raised together: C2 takes most of a warm-up, and what an archive knows to be hot is nearer
 * to them. */
static raised flags[] = {
	{.name = "TieredOldPercentage"}, {.name = "Tier4InvocationThreshold"}, {.name = "Tier4MinInvocationThreshold"},
	{.name = "Tier4CompileThreshold"}, {.name = "Tier4BackEdgeThreshold"},
};
enum { FLAGS = sizeof flags / sizeof *flags, FLAG_HIGHEST = 1 << 30 };

static struct {
	const vm *vm;
	uint32_t limit; /* milliseconds */
	watched seen;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool running, ending;
	bool raised_now; /* the flags are raised */
} w = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- flags ---- */

/* find_flag finds a flag and its value, which must be a possible one. */
static bool find_flag(const vm *v, raised *f) {
	if (!vm_find_flag(v, f->name, "Tier3DelayOn", &f->flag)) return false;
	f->before = *(int64_t *)f->flag.at;
	return f->before >= 0 && f->before <= FLAG_HIGHEST;
}

/* raise_flags raises all flags, or none. */
static bool raise_flags(const vm *v, uint32_t tier4) {
	enum { OLD = 1000000 };
	if (!vm_flag_is_set(v, "TieredCompilation"))
		tier4 = 1; /* the interpreter runs until C2 has compiled a method: it must not last longer */
	for (int i = 0; i < FLAGS; i++)
		if (!find_flag(v, &flags[i])) return false;
	for (int i = 0; i < FLAGS; i++) {
		raised *f = &flags[i];
		f->value = i > 0 ? f->before * tier4 : f->before > OLD ? f->before : OLD;
		if (f->value <= FLAG_HIGHEST) __atomic_store_n((int64_t *)f->flag.at, f->value, __ATOMIC_RELAXED);
	}
	return w.seen.raised = w.raised_now = true;
}

/* restore_flags gives the flags their values back, but those that somebody else has written since. */
static void restore_flags(uint32_t elapsed) {
	if (!w.raised_now) return;
	for (int i = 0; i < FLAGS; i++) {
		int64_t value = flags[i].value;
		__atomic_compare_exchange_n(
			(int64_t *)flags[i].flag.at, &value, flags[i].before, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
	w.raised_now = false;
	w.seen.restored = elapsed;
}

/* ---- the compilers ---- */

/* ticks_of returns the processor time of a thread in clock ticks, if it is one of the VM's compilers; else 0. */
static uint64_t ticks_of(const char *thread) {
	char path[64], line[512];
	unsigned long long user = 0, system = 0;
	snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread);
	FILE *f = fopen(path, "re");
	if (f == NULL) return 0;
	const char *name = fgets(line, sizeof line, f) == NULL ? NULL : strchr(line, '('),
			   *rest = name == NULL ? NULL : strrchr(line, ')');
	fclose(f);
	if (rest == NULL || (strncmp(name + 1, "C1 Compiler", 11) != 0 && strncmp(name + 1, "C2 Compiler", 11) != 0))
		return 0;
	if (sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) != 2) return 0;
	return user + system;
}

/* compiler_ticks returns the processor time of all compiler threads that live. */
static uint64_t compiler_ticks(void) {
	uint64_t sum = 0;
	DIR *d = opendir("/proc/self/task");
	if (d == NULL) return 0;
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		if (e->d_name[0] != '.') sum += ticks_of(e->d_name);
	closedir(d);
	return sum;
}

/* ---- the thread ---- */

enum { LOOK = 20, LOOK_SHARE = 200 }; /* ms; a two hundredth of a processor */
enum {
	PERIOD = 500,
	QUIET_PERIODS = 4,
	QUIET_SHARE = 10
}; /* ms; 2 s; the compilers take less than a tenth of one processor */

/* sleep_for waits for some milliseconds. It returns false at the end of the VM. */
static bool sleep_for(uint32_t ms) {
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ms * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	pthread_mutex_lock(&w.lock);
	while (!w.ending && pthread_cond_timedwait(&w.wake, &w.lock, &until) == 0) {}
	bool goes_on = !w.ending;
	pthread_mutex_unlock(&w.lock);
	return goes_on;
}

static uint64_t thread_time(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* look_at_calls looks at the calls, and returns how many milliseconds are to pass until the next time: C2 may compile a
 * method at any time, but a look must not take more than a small share of a processor. */
static uint32_t look_at_calls(void) {
	uint64_t begun = thread_time();
	relieve_look(w.vm);
	uint64_t ms = (thread_time() - begun) * LOOK_SHARE / 1000000;
	return ms < LOOK ? LOOK : ms > PERIOD ? PERIOD : (uint32_t)ms;
}

/* pass_period lets a period go by, and looks at the calls. It returns false at the end of the VM. */
static bool pass_period(void) {
	uint32_t pause;
	for (uint32_t passed = 0; passed < PERIOD; passed += pause) {
		pause = look_at_calls();
		if (pause > PERIOD - passed) pause = PERIOD - passed;
		if (!sleep_for(pause)) return false;
	}
	return true;
}

/* is_fitting reports whether no fewer methods have adopted a profile than were refused. Flags that are raised for what
 * an archive knows help nobody with the archive of another program. */
static bool is_fitting(void) {
	const counters *c = &agent_counters;
	uint64_t refused = __atomic_load_n(&c->refused_code, __ATOMIC_RELAXED) +
		__atomic_load_n(&c->refused_layout, __ATOMIC_RELAXED) + __atomic_load_n(&c->refused_absent, __ATOMIC_RELAXED);
	return __atomic_load_n(&c->adopted, __ATOMIC_RELAXED) >= refused;
}

/* The work of the compilers, in clock ticks. */
typedef struct load { uint64_t begun, ticks; uint32_t quiet; } load;

/* look brings a load up to date. A program that waits for its first request has not warmed up, however quiet its
 * compilers are. */
static void look(load *l) {
	uint64_t now = compiler_ticks(), hertz = (uint64_t)sysconf(_SC_CLK_TCK);
	bool quiet = now - l->ticks <= hertz * PERIOD / 1000 / QUIET_SHARE ||
		now < l->ticks; /* the time of a thread that ended is gone */
	l->quiet = quiet && now - l->begun >= hertz ? l->quiet + 1 : 0;
	l->ticks = now;
}

/* watch looks at the compilers until they are quiet. */
static void *watch(void *unused) {
	uint64_t begun = compiler_ticks();
	load l = {.begun = begun, .ticks = begun};
	uint32_t elapsed = 0;
	pthread_setname_np(pthread_self(), "profarc");
	for (; l.quiet < QUIET_PERIODS && elapsed < w.limit && pass_period(); elapsed += PERIOD) {
		if (!is_fitting()) restore_flags(elapsed);
		look(&l);
	}
	restore_flags(elapsed);
	COUNT_N(watched_ns, thread_time());
	return unused;
}

const char *watch_begin(const vm *v, const options *o) {
	w.vm = v;
	w.limit = o->warmup;
	if (o->dry) return NULL;
	bool unknown = o->raise && !raise_flags(v, o->tier4);
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); /* the wall clock may be set meanwhile */
	pthread_cond_init(&w.wake, &attributes);
	pthread_condattr_destroy(&attributes);
	w.running = pthread_create(&w.thread, NULL, watch, NULL) == 0;
	if (!w.running) restore_flags(0);
	if (!w.running) return "there is no thread to watch the program, so that no flag is raised";
	return unknown ? "the VM's flags of compilation are not those that the agent knows, and stay as they are" : NULL;
}

uint32_t watch_tier4(void) { return (uint32_t)flags[1].before; }

watched watch_end(void) {
	if (!w.running) return w.seen;
	pthread_mutex_lock(&w.lock);
	w.ending = true;
	pthread_cond_signal(&w.wake);
	pthread_mutex_unlock(&w.lock);
	pthread_join(w.thread, NULL);
	w.running = false;
	return w.seen;
}
