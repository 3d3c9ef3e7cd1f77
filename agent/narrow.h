/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of a profile beside the entries of the VM's MethodData. Both are read by their own layout, and their
 * cells are matched by meaning. So the VM may have another number of receiver rows (TypeProfileWidth), other lists of
 * types (TypeProfileLevel), and a cell more or less between the count and the rows (nonprofiled_count).
 *
 * An archive has more rows than the VM if its VM had more, or if a merge made a wide entry for types that did not fit.
 * The most frequent types keep rows. The others are added to the receivers without a row, as in profarc merge --rows.
 */
#ifndef PROFARC_AGENT_NARROW_H
#define PROFARC_AGENT_NARROW_H

#include "profarc_archive.h"
#include "vm.h"
#include "vm_entries.h"

/* An entry of the VM, and what the archive has for it. */
typedef struct narrowed {
	vm_entry vm;
	pa_entry entry; /* the entry with the counts; a Receivers entry if a merge made it wide */
	pa_entry types; /* the entry with the argument types; the same entry, or a CallType next to a wide entry */
	uint32_t traps;
} narrowed;

typedef struct narrower {
	pa_entries it;
	pa_entry next;
	bool more; /* next is valid */
	vm_layout layout;
	uint64_t *words; /* the VM's section */
	uint32_t at, size; /* next entry, and size of the section, in words */
	int32_t point;   /* profile point of the last entry */
	bool differs;    /* the archive and the VM have entries of another meaning at point */
} narrower;

/* narrow_begin iterates over the VM's entries in a section of size words. gap is the number of cells between the count
 * and the receiver rows. narrow_next returns false at the end and at the first difference. */
narrower narrow_begin(
	const vm *v, const pa_profile *p, pa_section section, uint32_t gap, uint64_t *words, uint32_t size);
bool narrow_next(narrower *n, narrowed *to);

enum { MOST_ROWS = 8 }; /* maximum in a VM */

/* A type at a call or a check. */
typedef struct narrow_row { uint32_t type; uint64_t count; } narrow_row;

/* narrow_rows finds the types that get rows and returns their number, at most n->vm.rows. A row without a type is
 * empty. others is the count of types without a row. */
uint32_t narrow_rows(const narrowed *n, narrow_row rows[MOST_ROWS], uint64_t *others);

/* narrow_count returns the count of a call without receivers. */
uint64_t narrow_count(const narrowed *n);

#endif
