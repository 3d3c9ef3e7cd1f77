/* SPDX-License-Identifier: Apache-2.0 */
/* The processors that this process may use, and what the VM's compilers use of them. */
#ifndef PROFARC_AGENT_PROCESSORS_H
#define PROFARC_AGENT_PROCESSORS_H

#include <stdint.h>

/* processors_available returns how many processors the process may use: those it may run on, or fewer by the quota of
 * its cgroup. */
double processors_available(void);

/* processors_quota returns the quota of a cgroup in processors, as its files say it: quota and period in microseconds,
 * on one line (cpu.max) or on two. A quota that is no number, or not positive, is none: 0. */
double processors_quota(const char *text);

/* Threads of the process, by the beginning of their name. */
typedef struct threads { int ids[32], n; } threads;

/* threads_named finds the threads whose name begins so, as many as there is room for. */
threads threads_named(const char *name);

/* threads_time returns the processor time in nanoseconds of those that still live. */
uint64_t threads_time(const threads *t);

/* threads_demand returns the time in nanoseconds in which they ran or waited for a processor; 0 if the system does not
 * tell. */
uint64_t threads_demand(const threads *t);

#endif
