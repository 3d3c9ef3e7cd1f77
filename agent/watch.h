/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that watches the program warm up. While the VM compiles much, some flags of its compilation policy are
 * raised in its memory; they get their old values back when the compilers have become quiet. Until then calls are
 * looked at that an archive may crowd out (relieve.h).
 */
#ifndef PROFARC_AGENT_WATCH_H
#define PROFARC_AGENT_WATCH_H

#include "options.h"
#include "vm.h"

/* What was seen, for the report. */
typedef struct watched {
	bool raised;       /* the flags were raised */
	uint32_t restored; /* milliseconds after the start; 0: never, or at the end of the VM */
} watched;

/* watch_begin raises the flags, if options say so, and starts the thread. It returns NULL, or what it can't do. */
const char *watch_begin(const vm *v, const options *o);

/* watch_tier4 returns the number of invocations after which the VM compiles a method with C2 when nothing is raised. */
uint32_t watch_tier4(void);

/* watch_end ends the thread, and restores the flags that are not restored yet. */
watched watch_end(void);

#endif
