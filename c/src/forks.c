/* SPDX-License-Identifier: Apache-2.0 */
/* Forks. The counts of a child begin at the fork. Both processes have copies of the same words, so the child subtracts
 * the counts at the fork. */
#include "run.h"

#ifdef _WIN32

void pai_watch_forks(pa_run *r) { (void)r; }
void pai_unwatch_forks(pa_run *r) { (void)r; }

#else

#include <unistd.h>

/* The runs of the process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pa_run *runs;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* before locks out other threads, so that the child gets consistent data. It copies the counts, so that all children
 * share the copy. A child copies only what other threads have counted since. */
static void before(void) {
	pthread_mutex_lock(&lock);
	for (pa_run *r = runs; r != NULL; r = r->next) {
		pthread_mutex_lock(&r->lock);
		pai_copy_words(r); /* without memory, the child tries again */
		pai_copy_counted(&r->counted);
	}
}

static void after(void) {
	for (pa_run *r = runs; r != NULL; r = r->next) pthread_mutex_unlock(&r->lock);
	pthread_mutex_unlock(&lock);
}

/* part_run restarts the counts of a run in the child. A thread that was dumping does not exist there. */
static void part_run(pa_run *r) {
	pthread_mutex_init(&r->dumping, NULL);
	r->form = UNDECIDED;
	r->epoch++;
	r->lost = 0;
	r->writing = false;
	memset(r->since, 0, sizeof r->since);
	bool words = pai_part_words(r), counted = pai_part_counted(&r->counted);
	if (!words || !counted)
		r->bad = (pa_error){PA_SYSTEM, PA_HEADER, 0, ENOMEM, "no memory for the counts of the parent process"};
	pai_release_unused(r);
	if (r->archive != NULL) r->archive->live->process = getpid();
}

static void in_child(void) {
	for (pa_run *r = runs; r != NULL; r = r->next) part_run(r);
	after();
}

static void watch(void) { pthread_atfork(before, after, in_child); }

void pai_watch_forks(pa_run *r) {
	pthread_once(&once, watch);
	pthread_mutex_lock(&lock);
	r->next = runs;
	runs = r;
	pthread_mutex_unlock(&lock);
}

void pai_unwatch_forks(pa_run *r) {
	pthread_mutex_lock(&lock);
	for (pa_run **at = &runs; *at != NULL; at = &(*at)->next)
		if (*at == r) {
			*at = r->next;
			break;
		}
	pthread_mutex_unlock(&lock);
}

#endif
