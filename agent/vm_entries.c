//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "vm_entries.h"

#include "profarc_archive.h"

/* read_types reads the list behind the cell with its length, and returns the number of cells with that cell. */
static uint32_t read_types(vm_entry *e, uint32_t length_cell, uint32_t left) {
	if (length_cell + 2 > left) return left;
	uint64_t cells = e->words[1 + length_cell];
	if (cells > left) return left;
	e->types = (vm_types){.first = length_cell + 1, .count = (uint32_t)cells / 2};
	if (cells % 2 != 0) e->types.returned = length_cell + (uint32_t)cells;
	return 1 + (uint32_t)cells;
}

/* cells_of returns the number of an entry's cells, or left if the section cannot have it. */
static uint32_t cells_of(vm_layout l, vm_entry *e, uint32_t left) {
	uint32_t receivers = 1 + l.gap + 2 * l.types;
	switch (e->tag) {
	case PA_BIT: return 0;
	case PA_COUNTER: return 1;
	case PA_JUMP: return 2;
	case PA_BRANCH: return 3;
	case PA_RET: return 1 + 3 * l.returns;
	case PA_RECEIVER_TYPE: case PA_VIRTUAL_CALL: return receivers;
	case PA_VIRTUAL_CALL_TYPE: return receivers + read_types(e, receivers, left);
	case PA_CALL_TYPE: return 1 + read_types(e, 1, left);
	case PA_PARAMETERS_TYPE: return read_types(e, 0, left);
	case PA_MULTI_BRANCH: return left < 2 || e->words[1] >= left ? left : 1 + (uint32_t)e->words[1];
	}
	return left;
}

vm_entry vm_entry_at(vm_layout l, uint64_t *words, uint32_t left) {
	vm_entry e = {.words = words, .tag = (uint8_t)*words, .bci = (uint16_t)(*words >> 16)};
	e.first = 1 + l.gap;
	e.rows = l.types;
	uint32_t cells = cells_of(l, &e, left);
	if (cells < left) e.units = 1 + cells;
	return e;
}
