/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of a profile, reduced to the number of rows in the running VM (TypeProfileWidth). An archive has more
 * rows if its VM had more, or if a merge made a wide entry for types that did not fit. The most frequent types keep
 * rows. The others are added to the receivers without a row, as in profarc merge --rows.
 */
#ifndef PROFARC_AGENT_NARROW_H
#define PROFARC_AGENT_NARROW_H

#include "profarc_archive.h"
#include "vm.h"

/* An entry of the VM, filled from the archive. */
typedef struct narrowed {
	pa_entry entry; /* the entry with the counts; a Receivers entry if a merge made it wide */
	pa_entry types; /* the entry with the argument types; the same entry, or a CallType next to a wide entry */
	uint8_t tag;    /* tag of the VM's entry; 0 if the VM cannot have it */
	uint32_t traps, units;
	uint32_t first, rows; /* first cell and number of its receiver rows */
	int32_t shift;        /* distance in cells from the archive's argument types to the VM's */
} narrowed;

typedef struct narrower {
	pa_entries it;
	pa_entry next;
	bool more; /* next is valid */
	uint32_t types, returns,
		gap; /* row limits of the VM for receivers and return points; number of cells before the receiver rows */
} narrower;

/* narrow_begin iterates over the VM's entries for the entries of a section. */
narrower narrow_begin(const vm *v, const pa_profile *p, pa_section section);
bool narrow_next(narrower *n, narrowed *to);

enum { MOST_ROWS = 8 }; /* maximum in a VM */

/* A type at a call or a check. */
typedef struct narrow_row { uint32_t type; uint64_t count; } narrow_row;

/* narrow_rows finds the types that get rows and returns their number, at most n->rows. A row without a type is empty.
 * others is the count of types without a row. */
uint32_t narrow_rows(const narrowed *n, narrow_row rows[MOST_ROWS], uint64_t *others);

#endif
