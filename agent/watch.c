//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "watch.h"

#include <pthread.h>
#include <time.h>

#include "counters.h"
#include "deadline.h"
#include "processors.h"
#include "relieve.h"

static struct {
	const vm *vm;
	uint32_t limit; /* in milliseconds */
	watched seen;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool running, ending;
	/* TieredOldPercentage, an intx flag that the VM reads at each event of its compilation policy. If it is high, the
	 * VM compiles a method that was not called for long with profiling, like other methods. */
	int64_t *flag, before, value;
	bool raised_now;
} w = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the flag ---- */

/* raise_flag raises the flag if it has the expected value. */
static bool raise_flag(const vm *v) {
	enum { RAISED = 1000000, HIGHEST = 1 << 30 };
	vm_flag found;
	if (!vm_find_flag(v, "TieredOldPercentage", "Tier3DelayOn", &found)) return false;
	w.flag = found.at;
	w.before = *w.flag;
	if (w.before < 0 || w.before > HIGHEST) return false;
	w.value = w.before > RAISED ? w.before : RAISED;
	__atomic_store_n(w.flag, w.value, __ATOMIC_RELAXED);
	return w.seen.raised = w.raised_now = true;
}

/* restore_flag restores the flag, unless something else has written it since. */
static void restore_flag(uint32_t elapsed) {
	if (!w.raised_now) return;
	int64_t value = w.value;
	__atomic_compare_exchange_n(w.flag, &value, w.before, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	w.raised_now = false;
	w.seen.restored = elapsed;
}

/* ---- the compilers ---- */

enum { WINDOW = 100, PERIOD = 500 }; /* in ms */

/* time_of returns the processor time of the live threads of a compiler, in milliseconds. demand_of includes their
 * waiting for a processor. */
static uint64_t time_of(const char *compiler) {
	threads t = threads_named(compiler);
	return threads_time(&t) / 1000000;
}

static uint64_t demand_of(const char *compiler) {
	threads t = threads_named(compiler);
	return threads_demand(&t) / 1000000;
}

/* The work of compilers in milliseconds, at the start and at the last look. */
typedef struct load { uint64_t begun, seen; } load;

/* worked updates a load and returns the work since the last look. It returns 0 if a thread has ended, since its time is
 * lost. */
static uint64_t worked(load *l, uint64_t now) {
	uint64_t n = now < l->seen ? 0 : now - l->seen;
	l->seen = now;
	return n;
}

/* is_draining reports whether C2 demands less than a whole processor. After several such windows C2 has compiled the
 * methods of the program's start. From then on the raised flag would prevent profiling of methods that are compiled
 * late. */
static bool is_draining(load *c2) {
	enum { BEGUN = 300, SHARE = 80 }; /* in ms; in percent of a processor */
	uint64_t now = demand_of("C2 Compiler"), n = worked(c2, now);
	return now >= c2->begun + BEGUN && n * 100 < SHARE * WINDOW;
}

/* is_quiet reports whether the compilers use less than a tenth of a processor. They must also have worked for some
 * time, since a program that waits for its first request has not warmed up. */
static bool is_quiet(load *both) {
	enum { BEGUN = 1000, SHARE = 10 };
	uint64_t now = time_of("C1 Compiler") + time_of("C2 Compiler"), n = worked(both, now);
	return now >= both->begun + BEGUN && n * 100 <= SHARE * PERIOD;
}

/* ---- the thread ---- */

enum { LOOK = 20, LOOK_SHARE = 200 }; /* in ms; 1/200 of a processor */
enum { DRAINED_WINDOWS = 5, QUIET_PERIODS = 4 }; /* half a second; 2 s */

/* sleep_for waits for some milliseconds. It returns false at the end of the VM. */
static bool sleep_for(uint32_t ms) { return !deadline_wait(&w.wake, &w.lock, &w.ending, ms); }

static uint64_t thread_time(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* look_at_calls checks the calls and returns the milliseconds until the next check. C2 can compile a method at any
 * time, but the checks must use only a small share of a processor. */
static uint32_t look_at_calls(void) {
	uint64_t begun = thread_time();
	relieve_look(w.vm);
	uint64_t ms = (thread_time() - begun) * LOOK_SHARE / 1000000;
	return ms < LOOK ? LOOK : ms > PERIOD ? PERIOD : (uint32_t)ms;
}

/* pass_window waits for a window, and checks the calls when they are due. It returns false at the end of the VM. */
static bool pass_window(uint32_t *until_look) {
	for (uint32_t passed = 0, pause; passed < WINDOW; passed += pause, *until_look -= pause) {
		if (*until_look == 0) *until_look = look_at_calls();
		pause = *until_look > WINDOW - passed ? WINDOW - passed : *until_look;
		if (!sleep_for(pause)) return false;
	}
	return true;
}

/* is_fitting reports whether at least as many methods have adopted a profile as were refused. With the archive of
 * another program the raised flag has no benefit. */
static bool is_fitting(void) {
	const counters *c = &agent_counters;
	uint64_t refused = __atomic_load_n(&c->refused_code, __ATOMIC_RELAXED) +
		__atomic_load_n(&c->refused_layout, __ATOMIC_RELAXED) + __atomic_load_n(&c->refused_absent, __ATOMIC_RELAXED);
	return __atomic_load_n(&c->adopted, __ATOMIC_RELAXED) >= refused;
}

/* watch observes the compilers until they are quiet. */
static void *watch(void *unused) {
	uint64_t demanded = demand_of("C2 Compiler"), begun = time_of("C1 Compiler") + time_of("C2 Compiler");
	load c2 = {demanded, demanded}, both = {begun, begun};
	uint32_t elapsed = 0, until_look = 0, drained = 0, quiet = 0;
	pthread_setname_np(pthread_self(), "profarc");
	while (quiet < QUIET_PERIODS && elapsed < w.limit && pass_window(&until_look)) {
		elapsed += WINDOW;
		if (w.raised_now) drained = is_draining(&c2) ? drained + 1 : 0;
		if (drained == DRAINED_WINDOWS || !is_fitting()) restore_flag(elapsed);
		if (elapsed % PERIOD == 0) quiet = is_quiet(&both) ? quiet + 1 : 0;
	}
	restore_flag(elapsed);
	COUNT_N(watched_ns, thread_time());
	return unused;
}

const char *watch_begin(const vm *v, const options *o) {
	w.vm = v;
	w.limit = o->warmup;
	if (o->dry) return NULL;
	bool unknown = o->raise && !raise_flag(v);
	deadline_open(&w.wake);
	w.running = pthread_create(&w.thread, NULL, watch, NULL) == 0;
	if (!w.running) restore_flag(0);
	if (!w.running) return "there is no thread to watch the program, so that no flag is raised";
	return unknown ? "the VM's flag TieredOldPercentage is not as the agent knows it, and stays as it is" : NULL;
}

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
