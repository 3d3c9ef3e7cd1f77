/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of a MethodData, read from the VM's own words. The tag and the lengths of lists are in the words. Only
 * the cells of receivers and of returns have a fixed number in each VM, which is not in the words.
 */
#ifndef PROFARC_AGENT_VM_ENTRIES_H
#define PROFARC_AGENT_VM_ENTRIES_H

#include <stdint.h>

/* Numbers that are the same in all entries of a VM. */
typedef struct vm_layout {
	uint32_t types;   /* receiver rows */
	uint32_t returns; /* rows of a Ret entry */
	uint32_t gap;     /* cells between the count and the receiver rows: 1 with nonprofiled_count, otherwise 0 */
} vm_layout;

/* A list of types in an entry. Each row has a stack slot and a type word. */
typedef struct vm_types {
	uint32_t first, count; /* first cell, and number of rows */
	uint32_t returned;     /* cell of the type of the return value; 0 for none */
} vm_types;

typedef struct vm_entry {
	uint64_t *words;
	uint8_t tag;          /* PA_BIT to PA_PARAMETERS_TYPE */
	uint16_t bci;
	uint32_t units;       /* length in words; 0 if no VM has such an entry */
	uint32_t first, rows; /* first cell, and number of receiver rows */
	vm_types types;
} vm_entry;

/* vm_entry_at reads the entry at words. left is the number of words up to the end of the section. */
vm_entry vm_entry_at(vm_layout l, uint64_t *words, uint32_t left);

#endif
