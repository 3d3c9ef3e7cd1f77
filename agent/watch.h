/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that watches the program warm up. While the VM compiles much, TieredOldPercentage is high, so that a method that
 * was not called for long may still be compiled with profiling at once; the flag gets its old value back when the compilers
 * have become quiet.
 */
#ifndef PROFARC_AGENT_WATCH_H
#define PROFARC_AGENT_WATCH_H

#include "options.h"
#include "vm.h"

/* What was seen, for the report. */
typedef struct watched {
	bool raised;       /* the flag was raised */
	uint32_t restored; /* milliseconds after the start; 0: never, or at the end of the VM */
} watched;

/* watch_begin raises the flag and starts the thread. It returns NULL, or why it can't. */
const char *watch_begin(const vm *v, const options *o);

/* watch_end ends the thread, and restores what is not restored yet. */
watched watch_end(void);

#endif
