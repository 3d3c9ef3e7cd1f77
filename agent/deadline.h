/* SPDX-License-Identifier: Apache-2.0 */
/* Waits with a timeout. They use the monotonic clock, since the wall clock can be set meanwhile. */
#ifndef PROFARC_AGENT_DEADLINE_H
#define PROFARC_AGENT_DEADLINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* deadline_open initializes a condition for deadline_wait. */
static inline void deadline_open(pthread_cond_t *c) {
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(c, &attributes);
	pthread_condattr_destroy(&attributes);
}

/* deadline_wait waits until the flag is set and the condition is signaled, or for ms milliseconds. It returns the
 * flag. */
static inline bool deadline_wait(pthread_cond_t *c, pthread_mutex_t *lock, const bool *flag, uint32_t ms) {
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ms * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	pthread_mutex_lock(lock);
	while (!*flag && pthread_cond_timedwait(c, lock, &until) == 0) {}
	bool set = *flag;
	pthread_mutex_unlock(lock);
	return set;
}

#endif
