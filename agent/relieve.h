/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that an archive crowds out. A call has few rows for its receivers, two by default. Once the types of training
 * hold them all, the VM counts every other type under "others", for good, and C2 inlines none of them: a call that
 * would have one receiver here stays a call through the table of methods as long as the program runs. No deoptimisation
 * tells of it.
 *
 * So calls with types of training are looked at while the program warms up. Where many others came and a type of
 * training did not, not once, its row is emptied, and the count of others starts anew: the VM profiles the call again
 * by itself. A type that is in nobody's way keeps its row: the program may still come to it.
 *
 * To empty a row is what the VM does itself, beside running code and compilers, when a class is unloaded. Only words of
 * counts and types are written, each in one piece; a count that the VM writes at the same moment may get lost, or stay.
 */
#ifndef PROFARC_AGENT_RELIEVE_H
#define PROFARC_AGENT_RELIEVE_H

#include "receivers.h"
#include "vm.h"

/* A call that has adopted types. counts are those that it was given: of others, then of each row, 0 for an empty one.
 */
typedef struct relieve_call {
	const prepared *holder;
	const vm_data *data;
	uint64_t *others; /* the count of others */
	uint64_t *types;  /* a class and a count for each row */
	uint32_t rows;
	const uint32_t *counts;
} relieve_call;

/* relieve_add has a call looked at. Those of classes that may be unloaded are left out: no thread pins them meanwhile.
 */
void relieve_add(const relieve_call *call);

/* relieve_look looks at all calls, and empties rows where it must. */
void relieve_look(const vm *v);

#endif
