/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of the words that the agent wrote to MethodData, with their values. Readers of the VM's profiles from
 * outside find the list by the exported name profarc_adopted and subtract the archive's counts. The rest are the counts
 * of this program. internal/hotspot/live reads the list.
 *
 * A row is added before its cell is written, and is valid only while the cell has the value in the row. Rows never
 * change. A later row for a cell supersedes earlier ones. So a reader may stop the process at any time.
 */
#ifndef PROFARC_AGENT_ADOPTED_H
#define PROFARC_AGENT_ADOPTED_H

#include <stdbool.h>
#include <stdint.h>

#include "layers.h"

typedef enum adopted_kind {
	ADOPTED_METHOD =
		1, /* the cell is a Method that gets a MethodData; earlier writes to a Method at this address are void */
	ADOPTED_PROFILE, /* what is the Method's MethodData, value the invocations given to it */
	ADOPTED_END,     /* all cells of the Method are written, except for waiting types */
	ADOPTED_COUNT,   /* value is the count */
	ADOPTED_CHECK,   /* a type check; value is the signed count */
	ADOPTED_ROW,     /* what is the class; value is the count in the next cell */
	ADOPTED_WORD,    /* a type word; what is the word */
	ADOPTED_BITS,    /* the first word of an entry; what has the bits that were set */
	ADOPTED_BYTE,    /* value is a count of traps */
	ADOPTED_STRUCK   /* the cell belongs to the VM */
} adopted_kind;

/* adopted_open records the dump ids of the layers. */
void adopted_open(const layers *l);

/* adopted_add adds a row. It returns false if memory runs out or the list has reached 48 MiB, which can happen if a
 * program keeps loading and unloading classes. The cell must not be written then. */
bool adopted_add(adopted_kind kind, const void *cell, uint64_t what, uint32_t value);

#endif
