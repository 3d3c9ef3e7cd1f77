/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that an archive crowds out. A call has few rows for its receivers, two by default. If the types of training
 * fill all rows, the VM counts every other type as "others", permanently, and C2 inlines none of them. A call with one
 * receiver in this run then stays a virtual call as long as the program runs. No deoptimization reveals this.
 *
 * So the agent checks calls with trained types while the program warms up. If many others came and a trained type did
 * not occur once, the agent empties the type's row and resets the count of others. The VM then profiles the call again.
 * If no others came, the type keeps its row, since it may still occur.
 *
 * The VM empties rows too, concurrently with running code and compilers, when it unloads a class. The agent writes only
 * words of counts and types, each in one store. A count that the VM writes at the same moment can be lost, or can
 * survive the reset.
 */
#ifndef PROFARC_AGENT_RELIEVE_H
#define PROFARC_AGENT_RELIEVE_H

#include "receivers.h"
#include "vm.h"

/* A call with adopted types. counts are the values given to it, first of others, then of each row, 0 for an empty
 * row. */
typedef struct relieve_call {
	const prepared *holder;
	const vm_data *data;
	uint64_t *others; /* the count of others */
	uint64_t *types;  /* class and count of each row */
	uint32_t rows;
	const uint32_t *counts;
} relieve_call;

/* relieve_add registers a call. It ignores classes that may be unloaded, since no thread pins them. */
void relieve_add(const relieve_call *call);

/* relieve_look checks all calls and empties rows where necessary. */
void relieve_look(const vm *v);

#endif
