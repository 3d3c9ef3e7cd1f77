/* SPDX-License-Identifier: Apache-2.0 */
/* Processors available to the process, and processor time of the VM's compilers. */
#ifndef PROFARC_AGENT_PROCESSORS_H
#define PROFARC_AGENT_PROCESSORS_H

#include <stdint.h>

/* processors_available returns the number of processors that the process may use. It is the affinity mask, or the quota
 * of the cgroup if that is lower. */
double processors_available(void);

/* processors_quota parses the quota of a cgroup and returns it in processors. The text has the quota and the period in
 * microseconds, on one line (cpu.max) or on two. If the quota is not a positive number, it returns 0. */
double processors_quota(const char *text);

/* Threads of the process with a common prefix of their names. */
typedef struct threads { int ids[32], n; } threads;

/* threads_named finds the threads whose name has a prefix, up to the capacity. */
threads threads_named(const char *name);

/* threads_time returns the processor time in nanoseconds of the threads that are still alive. */
uint64_t threads_time(const threads *t);

/* threads_demand returns the nanoseconds in which the threads ran or waited for a processor. It returns 0 if
 * unknown. */
uint64_t threads_demand(const threads *t);

#endif
