/* Says what agent/processors.c finds: "quota TEXT" what a text means, "available" how many processors there are, "time"
 * whether the processor time of a thread is found by its name. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "processors.h"

enum { MILLISECOND = 1000000 };

static uint64_t worked; /* nanoseconds */
static pthread_barrier_t done;

static uint64_t own_time(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* work uses the processor, and then nothing until it may end. */
static void *work(void *unused) {
	pthread_setname_np(pthread_self(), "C2 CompilerThre");
	while ((worked = own_time()) < 50 * MILLISECOND) {}
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&done);
	return unused;
}

/* is_gone waits until a thread that has ended has no time any more: /proc may show it for a moment after the join. */
static bool is_gone(const threads *found) {
	for (int tries = 0; tries < 2000; tries++) {
		if (threads_time(found) == 0) return true;
		nanosleep(&(struct timespec){.tv_nsec = MILLISECOND}, NULL);
	}
	return false;
}

static int time_of_threads(void) {
	pthread_t thread;
	pthread_barrier_init(&done, NULL, 2);
	pthread_create(&thread, NULL, work, NULL);
	pthread_barrier_wait(&done);
	threads found = threads_named("C2 Compiler"), none = threads_named("C1 Compiler");
	uint64_t time = threads_time(&found);
	pthread_barrier_wait(&done);
	pthread_join(thread, NULL);
	bool right = time >= worked && time < worked + 50 * MILLISECOND && is_gone(&found);
	printf("%d thread, %s; %d others\n", found.n, right ? "as it worked" : "wrong", none.n);
	return 0;
}

int main(int argc, char **argv) {
	if (argc > 2 && strcmp(argv[1], "quota") == 0) printf("%g\n", processors_quota(argv[2]));
	else if (argc > 1 && strcmp(argv[1], "available") == 0) printf("%g\n", processors_available());
	else return time_of_threads();
	return 0;
}
