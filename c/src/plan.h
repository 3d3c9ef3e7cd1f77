/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan has the layout of an archive. It is complete before a byte is written, so the file is written from front to
 * back. A position is the index of an item in its sort order, from 0.
 */
#ifndef PROFARC_PLAN_H
#define PROFARC_PLAN_H

#include "build.h"

enum { MEMORIES = 64 };

/* The record of a method. first and first_context are 1 + position of its first profile for all callers, and of its
 * first context. */
typedef struct method_plan {
	uint64_t id;
	uint32_t ref, first, first_context, contexts, flags, units;
} method_plan; /* 0 for a row */

/* A block. Like all offsets, at is relative to its region until the regions have offsets. */
typedef struct block_plan {
	const new_profile *profile;
	uint64_t at;
	uint32_t method, padding;
	bool head, followed;
} block_plan;

/* A signature that is a list of symbols. */
typedef struct list { uint32_t first, number; } list;

typedef struct class_plan { uint32_t holder, end; } class_plan;

/* A chunk of bm. Its bitmap is in bitmaps. */
typedef struct chunk_plan { uint64_t at, size; } chunk_plan;

/* An item of the index, sorted by hash. number counts types first, then methods. */
typedef struct hashed { uint64_t hash; uint32_t number; } hashed;

typedef struct plan {
	pa_builder *b;
	void *memory[MEMORIES];
	unsigned memories;
	uint32_t nsymbols, ntypes, nmethods, ncontexts, nprofiles, ntables;

	/* Sort orders, as references by position, and their inverses, as positions by reference - 1. */
	uint32_t *symbols, *types, *methods, *contexts, *profiles;
	uint32_t *text_rank, *type_rank, *method_rank, *context_rank;
	uint32_t *spare; /* scratch memory for sorting the longest array */

	method_plan *records;
	block_plan *blocks;
	uint32_t *context_first; /* 1 + position of the first profile, by reference - 1 */
	bool *met;               /* methods that must have run, by reference - 1 */

	bool *needed;            /* symbols used outside of signatures, by reference - 1 */
	list *lists;             /* by reference - 1 */
	buffer parts;            /* references of the lists' symbols */
	uint64_t *symbol_at, *method_at, *block_at; /* by reference - 1, by position, by reference - 1 */
	uint32_t in_section;     /* number of symbols */

	class_plan *classes;
	uint32_t *rows;          /* positions of methods stored as rows */
	uint32_t nclasses, nrows, unexecuted;

	buffer bitmaps;
	chunk_plan *chunks;
	uint64_t nchunks, pointers;

	hashed *hashed;
	uint32_t nhashed;
	uint8_t *index;
	uint64_t lines, seed;
	uint32_t max_probe;
	uint32_t *crowded;       /* numbers of the records without a slot in the index */
	uint32_t ncrowded;

	uint64_t entries, summary[4];
	uint64_t size[PA_RW + 1], at[PA_RW + 1], section_size[SECTIONS], section[SECTIONS], file_size, base;
	unsigned shift;
} plan;

/* ---- plan.c ---- */

/* pai_plan computes the layout of an archive. pai_plan_free frees the plan, even after an error. */
bool pai_plan(pa_builder *b, plan *p);
void pai_plan_free(plan *p);
/* pai_memory returns zeroed memory that pai_plan_free frees. */
void *pai_memory(plan *p, uint64_t n, size_t size);

/* ---- order.c ---- */

bool pai_order_all(plan *p);

/* ---- measure.c ---- */

/* pai_measure counts the contents of the blocks, and notes the methods that their pointers refer to. */
void pai_measure(plan *p);
/* pai_pointers calls take with the offset of every pointer cell of a recorded block. */
void pai_pointers(
	const pa_builder *b, const new_profile *profile, void (*take)(void *to, uint64_t offset, bool method), void *to);
bool pai_plan_bitmaps(plan *p);
/* pai_added returns the size of the fields that a block has only in the file. */
uint64_t pai_added(const plan *p, const block_plan *block);
static inline bool is_linked(const block_plan *block) { return block->followed || block->profile->context != 0; }
static inline bool is_keyed(const plan *p, const block_plan *block) {
	return block->head && !(p->records[block->method].flags & NAMED);
}

/* ---- names.c ---- */

/* pai_plan_symbols decides which symbols the archive has, and which signatures are lists. */
bool pai_plan_symbols(plan *p);
uint64_t pai_symbol_size(const plan *p, uint32_t ref);
bool pai_check_key_text(plan *p);

/* ---- fill.c ---- */

/* pai_hash_records fills hashed for a seed. pai_fill_index makes the index, with numbers of records in its slots.
 * pai_refer_index replaces them by references, once the records have offsets. */
bool pai_hash_records(plan *p, uint64_t seed);
bool pai_fill_index(plan *p);
void pai_refer_index(plan *p);

/* ---- crowded.c ---- */

/* pai_list_crowded makes the table of the records without a slot, if there are any. */
bool pai_list_crowded(plan *p);

/* ---- sort orders ---- */

static inline uint64_t symbol_at(const plan *p, uint32_t ref) { return ref == 0 ? 0 : p->symbol_at[ref - 1]; }
static inline uint64_t type_at(const plan *p, uint32_t ref) {
	return ref == 0 ? 0 : p->section[TYPES] + TYPE * (uint64_t)p->type_rank[ref - 1];
}
static inline uint64_t method_at(const plan *p, uint32_t ref) {
	return ref == 0 ? 0 : p->method_at[p->method_rank[ref - 1]];
}
static inline uint64_t context_at(const plan *p, uint32_t ref) {
	return ref == 0 ? 0 : p->section[CONTEXTS] + CONTEXT * (uint64_t)p->context_rank[ref - 1];
}
static inline uint64_t first_at(const plan *p, uint32_t first) { return first == 0 ? 0 : p->blocks[first - 1].at; }

/* ---- encode.c ---- */

/* A sink receives the bytes of a file, not always in the order of offsets. */
typedef struct sink {
	bool (*write)(void *to, uint64_t at, const uint8_t *bytes, size_t size, pa_error *e);
	void *to;
} sink;

bool pai_encode(plan *p, const sink *to, pa_report *report);

#endif
