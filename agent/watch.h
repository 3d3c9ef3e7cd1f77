/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that watches the program warm up. Until C2 has drained, a flag of the compilation policy is raised in the
 * VM's memory. Until both compilers are quiet, calls are looked at that an archive may crowd out (relieve.h).
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

/* watch_begin raises the flag, if options say so, and starts the thread. It returns NULL, or what it can't do. */
const char *watch_begin(const vm *v, const options *o);

/* watch_end ends the thread, and restores the flag if it is raised still. */
watched watch_end(void);

#endif
