/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of a profile with as many rows as the running VM has (TypeProfileWidth). An archive may have more: of a
 * VM with more rows, or since a merge made a wide entry of types that did not all fit. The types that were seen most
 * keep rows, and the others are added to the receivers without a row, as profarc merge --rows does.
 */
#ifndef PROFARC_AGENT_NARROW_H
#define PROFARC_AGENT_NARROW_H

#include "profarc_archive.h"
#include "vm.h"

/* An entry of the VM: what the archive has for it. */
typedef struct narrowed {
	pa_entry entry; /* with its counts; a Receivers entry if a merge made it wide */
	pa_entry types; /* with its types of arguments: the same, or beside a wide one a CallType */
	uint8_t tag;    /* of the VM's entry; 0 if the VM can't have it */
	uint32_t traps, units;
	uint32_t first, rows; /* the cell of its first receiver row, and how many it has */
	int32_t shift;        /* what the cells of types of arguments are further behind than in the archive */
} narrowed;

typedef struct narrower {
	pa_entries it;
	pa_entry next;
	bool more; /* next is one */
	uint32_t types, returns,
		gap; /* rows of receivers and of return points that the VM has; cells before those of receivers */
} narrower;

/* narrow_begin iterates over the entries that the VM has for the entries of a section. */
narrower narrow_begin(const vm *v, const pa_profile *p, pa_section section);
bool narrow_next(narrower *n, narrowed *to);

enum { MOST_ROWS = 8 }; /* that a VM has */

/* A type of a call or a check. */
typedef struct narrow_row { uint32_t type; uint64_t count; } narrow_row;

/* narrow_rows finds the types that get rows, at most n->rows, and returns how many there are; a row without a type is
 * empty. others is the count of those without a row. */
uint32_t narrow_rows(const narrowed *n, narrow_row rows[MOST_ROWS], uint64_t *others);

#endif
