/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that watches the program warm up. Until C2 has drained, a flag of the compilation policy stays raised in the
 * VM's memory. Until both compilers are quiet, the thread checks the calls that an archive may crowd out (relieve.h).
 */
#ifndef PROFARC_AGENT_WATCH_H
#define PROFARC_AGENT_WATCH_H

#include "options.h"
#include "vm.h"

/* Observations for the report. */
typedef struct watched {
	bool raised;       /* the flag was raised */
	uint32_t restored; /* milliseconds after the start; 0 for never, or at the end of the VM */
} watched;

/* watch_begin raises the flag if options request it, and starts the thread. It returns NULL, or a description of the
 * failure. */
const char *watch_begin(const vm *v, const options *o);

/* watch_end stops the thread, and restores the flag if it is still raised. */
watched watch_end(void);

#endif
