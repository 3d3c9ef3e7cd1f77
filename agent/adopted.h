/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the VM has of the archive: each cell of a MethodData that the agent wrote, with what it wrote. Whoever reads the
 * VM's profiles from outside finds the list by the exported name profarc_adopted, and takes the archive's part off: the
 * rest is what this program did. internal/hotspot/live reads it.
 *
 * A row is there before its cell is written, and counts only if the cell has what the row says. Rows are never changed:
 * a later row of a cell takes the place of those before. So the process can be stopped anywhere.
 */
#ifndef PROFARC_AGENT_ADOPTED_H
#define PROFARC_AGENT_ADOPTED_H

#include <stdbool.h>
#include <stdint.h>

#include "layers.h"

typedef enum adopted_kind {
	ADOPTED_METHOD =
		1, /* the cell is a Method that gets a MethodData now; what was written to one of its address before is void */
	ADOPTED_PROFILE, /* what: a MethodData for the Method; value: the invocations that it was given */
	ADOPTED_END,     /* all was written for the Method, but types that wait */
	ADOPTED_COUNT,   /* value: the count */
	ADOPTED_CHECK,   /* of a type check; value: the count, with its sign */
	ADOPTED_ROW,     /* what: the class; value: the count, in the next cell */
	ADOPTED_WORD,    /* a type word; what: the word */
	ADOPTED_BITS,    /* of the first word of an entry; what: the bits that were set */
	ADOPTED_BYTE,    /* a count of traps; value: it */
	ADOPTED_STRUCK   /* the cell is the VM's own */
} adopted_kind;

/* adopted_open names what is adopted. */
void adopted_open(const layers *l);

/* adopted_add adds a row. If the list is full, at 48 MiB, or there is no memory, it returns false, and the cell must
 * not be written: a program may load and unload classes without end. */
bool adopted_add(adopted_kind kind, const void *cell, uint64_t what, uint32_t value);

#endif
