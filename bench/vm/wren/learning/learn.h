/* SPDX-License-Identifier: Apache-2.0 */
/* What Wren learns about its functions, counted by libprofarc. edit.py connects it to Wren. */
#ifndef LEARN_H
#define LEARN_H

#include <profarc.h>
#include <stdint.h>

/* What a function of Wren has for learning. */
typedef struct LearnFn {
	pa_counter *calls; /* LEARN_NOTHING if the function does not count, LEARN_LATER before its first call */
	pa_counter *backedges;
	uintptr_t base;          /* address that LEARN_SITE adds to */
	struct LearnSite *sites; /* by the offset of the instruction; NULL if no instruction needs one */
	pa_function *function;
	pa_receivers **receivers; /* by offset; NULL before the first arrival */
	uint32_t *used;           /* offsets of the sites with a classObj */
	uint32_t usedCount;
	char *owner;       /* class of a method, "static " before it for a static one */
	char *holder, *id; /* class and name of the key */
	uint64_t *audit;   /* executions by offset, counted apart from profarc, in an audit */
} LearnFn;

#define LEARN_NOTHING ((pa_counter *)0)
#define LEARN_LATER ((pa_counter *)1)
#define LEARN_COUNTS(calls) ((uintptr_t)(calls) > 1)

/* How a process learns. */
typedef struct Learn {
	pa_run *run; /* NULL if Wren counts nothing */
	bool advised;
	bool audited;
	uint64_t functions, mature, specialized; /* functions set up, functions that count no more, specialized calls */
} Learn;

extern Learn learn;

#ifdef LEARN_AUDITED
#define LEARN_AUDIT(fn, ip) ((fn)->learn.audit[(ip) - 3 - (fn)->code.data]++)
#else
#define LEARN_AUDIT(fn, ip) ((void)0)
#endif

#endif
