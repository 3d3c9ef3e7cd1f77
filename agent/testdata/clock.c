/* A wall clock that is set: each time it is read it is two hours ahead of the system's, where waits end. */
#define _GNU_SOURCE
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t) {
	int e = (int)syscall(SYS_clock_gettime, clock, t);
	if (clock == CLOCK_REALTIME) t->tv_sec += 7200;
	return e;
}
