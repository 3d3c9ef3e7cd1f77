/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by the files of the builder. A reference is the number of an interned item, from 1 on. 0 is the
 * empty reference. Functions that return bool or a pointer store an error in the builder and return false or NULL.
 */
#ifndef PROFARC_BUILD_H
#define PROFARC_BUILD_H

#include <stdlib.h>

#include "internal.h"

enum { FIELDS = 14, BLOCK_HEADER = 16, DIRECTORY_MIN = 16, REF_SHIFT = 3, MAX_PRODUCER = 64 };
enum { MAX_TABLES = 1024, MAX_CELLS = 1 << 28 };
#define MAX_FILE ((uint64_t)32 << 30)

/* ---- buffers.c ---- */

/* A growing buffer. size bytes of it are used. */
typedef struct buffer { uint8_t *bytes; size_t size, room; } buffer;

#define COUNT(type, u) ((u).size / sizeof(type))
#define ITEM(type, u, ref) (&((type *)(void *)(u).bytes)[(ref) - 1]) /* ref counts from 1 */

/* pai_extend appends size zero bytes and returns them. pai_append appends a copy of bytes. */
void *pai_extend(pa_builder *b, buffer *u, size_t size);
bool pai_append(pa_builder *b, buffer *u, const void *bytes, size_t size);
void pai_empty(buffer *u);

/* A ref_index finds references by hash with open addressing. A slot has the hash in the upper bits and the reference
 * below. */
typedef struct ref_index { uint64_t *slots; size_t size, used; } ref_index;

/* pai_find returns the reference with a hash for which same returns true, or 0. pai_insert adds a reference. */
uint32_t pai_find(const ref_index *x, uint32_t hash, bool (*same)(const void *with, uint32_t ref), const void *with);
bool pai_insert(pa_builder *b, ref_index *x, uint32_t hash, uint32_t ref);
/* pai_mix mixes a number into a hash. */
uint32_t pai_mix(uint32_t hash, uint64_t number);

/* pai_sort sorts n references stably. spare must have the capacity for n references. */
typedef int pai_order(const void *with, uint32_t x, uint32_t y);
void pai_sort(uint32_t *refs, uint32_t *spare, size_t n, pai_order *order, const void *with);

/* ---- build.c ---- */

typedef struct symbol { uint64_t at; uint32_t size; } symbol; /* at is an offset in texts */
typedef struct new_type { uint64_t id; uint32_t name, loader, alias, flags; } new_type;
typedef struct new_method { uint64_t id; uint32_t holder, name, signature, access, flags; bool seen; } new_method;
typedef struct new_context { uint32_t method, parent, caller; int32_t point; uint32_t depth; } new_context;
/* A recorded block. It is encoded as in the file, except for the id, key and links, and except for pointer cells, which
 * hold references << REF_SHIFT. */
typedef struct new_profile { uint64_t code, at, size; uint32_t method, context; } new_profile;
typedef struct new_table {
	uint32_t kind, flags, columns;
	uint8_t kinds[PA_MAX_COLUMNS];
	buffer cells;
	uint64_t base;
	bool counted;
} new_table;

/* A data entry of the open profile, used for sorting. */
typedef struct new_entry { size_t start, size; int32_t point; uint8_t tag; uint16_t sub; } new_entry;

/* The profile between pa_begin and pa_done. */
typedef struct recording {
	bool open, twin; /* twin is set if the builder has a profile with this key already, and drops this one */
	uint32_t method, context, presence;
	uint64_t code;
	buffer fields[FIELDS], sections[DIRECTORY], entries;
} recording;

struct pa_builder {
	pa_error error;
	pa_config config;
	char producer[MAX_PRODUCER];
	pa_archive shape; /* has only the fields that determine the sizes of entries */
	uint32_t shape_rows; /* length of shape.shapes */
	buffer texts, symbols, types, methods, contexts, profiles, blocks, tables;
	pa_dropped dropped; /* what copies omitted */
	char lost[PA_LOST_NAME]; /* name of the first profile or row that a dump of a run omitted */
	uint64_t duplicates;
	uint32_t receiver_rows; /* minimum number of rows of receivers that are copied */
	uint8_t since[16]; /* dump id at the start of the copied increments; 0 if none were copied */
	ref_index symbol_index, type_index, method_index, context_index, profile_index;
	recording open;
};

static inline bool is_llvm(uint32_t domain) { return domain == PA_LLVM_IR || domain == PA_LLVM_FRONTEND; }
static inline bool sound(const pa_builder *b) { return b != NULL && b->error.code == PA_OK; }
static inline bool has_ref(const buffer *u, size_t item, uint32_t ref) { return ref != 0 && ref <= u->size / item; }
#define HAS(type, u, ref) has_ref(&(u), sizeof(type), ref)

/* pai_refuse stores an error if the builder has none. */
bool pai_refuse(pa_builder *b, pa_code code, const char *message);
static inline pa_error pai_error_of(const pa_builder *b) {
	pa_error e = pai_none();
	return pai_given(b != NULL, &e) ? b->error : e;
}
/* pai_take refuses missing input. It returns false if the builder is NULL or has an error. */
static inline bool pai_take(pa_builder *b, bool given) {
	return sound(b) && (given || pai_refuse(b, PA_ARGUMENT, "an argument is NULL that must not be"));
}
bool pai_no_memory(pa_builder *b);

/* ---- intern.c ---- */

pa_text pai_text(const pa_builder *b, uint32_t symbol); /* the empty text for 0 */
uint32_t pai_intern(pa_builder *b, pa_text text, uint64_t limit);
uint32_t pai_find_symbol(const pa_builder *b, pa_text text);

/* ---- record.c ---- */

/* pai_put adds an entry with zero cells to a section of the open profile and returns the cells. */
uint8_t *pai_put_narrow(pa_builder *b, uint8_t tag, pa_at at, uint64_t cells);
uint8_t *pai_put_wide(
	pa_builder *b, uint8_t tag, uint8_t flags, uint16_t sub, int32_t point, uint64_t cells, uint32_t rows);
uint8_t *pai_put_bytes(pa_builder *b, pa_section section, const uint8_t *entry, uint64_t size);
void pai_set_field(pa_builder *b, unsigned field, const void *bytes, size_t size);
/* pai_find_profile returns the reference of a profile, or 0. */
uint32_t pai_find_profile(const pa_builder *b, uint32_t method, uint64_t code, uint32_t context);
bool pai_is_new(pa_builder *b, uint32_t method, uint64_t code, uint32_t context);
uint64_t pai_type_cell(pa_builder *b, uint32_t type);
uint64_t pai_method_cell(pa_builder *b, uint32_t method);

/* ---- counts ---- */

/* add_up adds two counts. The sum saturates. */
static inline uint64_t add_up(uint64_t x, uint64_t y) { return y > UINT64_MAX - x ? UINT64_MAX : x + y; }

/* ---- counted.c ---- */

/* The counts of an adopted archive at the last checkpoint or, in a child, at the fork, by page of rw. A page without an
 * array, and a NULL pointer to this struct, mean the counts in the file. at_fork has the counts at the last fork, for
 * the child. noted has blocks of the checkpoint being written. Each is a file offset, a number of words, and the
 * words. */
typedef struct counted {
	const pa_archive *archive;
	uint64_t **before, **at_fork;
	uint64_t *noted;
	size_t n_noted, room;
} counted;

/* pai_counted returns the word at a file offset at the last checkpoint. */
uint64_t pai_counted(const counted *k, const pa_archive *a, uint64_t at);
/* pai_each_counted calls take with the file offset of every block that may have counts since the last checkpoint. */
bool pai_each_counted(const counted *k, bool (*take)(void *to, uint64_t at), void *to);
/* pai_note_block notes the n words of a block in the copy that is being made. It returns false if memory runs out.
 * pai_keep_counted makes the noted words the start of the next copy. pai_drop_counted discards them. */
bool pai_note_block(counted *k, uint64_t at, const uint64_t *words, uint32_t n);
void pai_keep_counted(counted *k);
void pai_drop_counted(counted *k);
/* pai_copy_counted copies the counts for a child. pai_part_counted restarts them in the child. */
bool pai_copy_counted(counted *k);
bool pai_part_counted(counted *k);
void pai_free_counted(counted *k);

/* ---- copy.c ---- */

/* Additional input of a copy of live counts. */
typedef struct along {
	counted *since; /* NULL for totals of a process that was not forked */
	/* Counts of a run that are not in a profile of the archive. has reports whether a profile has such counts, and
	 * record adds them to the open profile. more lists the profiles with such counts. */
	bool (*has)(const void *run, pa_ref profile);
	void (*record)(void *run, pa_builder *b, pa_ref profile);
	/* copied takes each copied profile. It may be NULL. */
	bool (*copied)(void *run, pa_builder *b, pa_ref profile);
	void *run;
	const pa_ref *more;
	size_t n_more;
	/* Selection of versions, for totals. choose sees a method before its profiles are copied, keeps reports whether one
	 * is kept, and list records when the omitted ones ran. They may be NULL. */
	bool (*choose)(void *choice, const pa_method *m);
	bool (*keeps)(void *choice, uint64_t code);
	bool (*list)(void *choice, uint32_t method);
	void *choice;
} along;

/* pai_snapshot is pa_snapshot with additional input. */
pa_error pai_snapshot(pa_builder *b, const pa_archive *a, pa_counts which, const along *with);
/* pai_copy_shapes declares the shapes of an archive in a builder. */
bool pai_copy_shapes(pa_builder *b, const pa_archive *a);

/* ---- lost.c ---- */

/* pai_name_lost names a function or class that a dump omits, unless the dump has omitted another one before. */
void pai_name_lost(pa_builder *b, pa_text class_name, pa_text name, pa_text signature);

/* ---- random.c ---- */

/* pai_draw draws a random id. */
bool pai_draw(pa_builder *b, uint8_t id[16]);

/* ---- posix.c, windows.c ---- */

/* A file that appears whole or not at all. pai_open_target opens the directory of the path, and pai_create_target makes
 * a temporary file in it. pai_read_target reads the temporary file back, and pai_publish_target renames it. */
typedef struct target target;
target *pai_open_target(const char *path, pa_error *e);
bool pai_create_target(target *t, pa_error *e);
bool pai_write_target(target *t, uint64_t at, const uint8_t *bytes, size_t size, pa_error *e);
bool pai_read_target(target *t, uint64_t at, uint8_t *bytes, size_t size, pa_error *e);
bool pai_publish_target(target *t, pa_error *e);
void pai_close_target(target *t);

/* pai_this_process fills boot, name_space, process, start and begun. It returns false if the system does not provide
 * them. */
bool pai_this_process(pa_provenance *r);
/* pai_describe_run_of is pa_describe_process for the run with a number in this process. Merges count each run of a
 * process. */
pa_error pai_describe_run_of(pa_builder *b, const pa_provenance *run, uint32_t number);
int64_t pai_now(void);

/* ---- rows.c ---- */

new_table *pai_table(pa_builder *b, uint32_t kind);
/* pai_drop_table removes a table, if the builder has it. */
void pai_drop_table(pa_builder *b, uint32_t kind);
bool pai_add_cells(pa_builder *b, new_table *t, const uint64_t *cells, uint64_t n);
bool pai_sort_sets(pa_builder *b);
int pai_compare_profiles(const pa_builder *b, uint32_t x, uint32_t y);

/* ---- hot.c ---- */

/* pai_list_hot makes the table of the hottest profiles, if runs have noted advice. */
bool pai_list_hot(pa_builder *b);

/* ---- declare.c ---- */

/* pai_declare adds the shape of a tag, given as rows of the table. pai_list_shapes makes the table. */
/* pai_is_given reports whether a shape has its strings and arrays. */
bool pai_is_given(const pa_new_shape *s);
bool pai_declare(pa_builder *b, const uint64_t *heads, uint8_t (*names)[32], uint32_t n);
void pai_drop_shapes(pa_builder *b);
bool pai_list_shapes(pa_builder *b);
/* pai_unite_rows combines rows with equal keys among the n rows of a producer's entry. It frees the other rows. */
bool pai_unite_rows(pa_builder *b, uint8_t *cells, uint8_t tag, uint32_t n);

/* ---- bytes ---- */

static inline void put16(uint8_t *p, uint32_t v) {
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}
static inline void put32(uint8_t *p, uint32_t v) {
	put16(p, v);
	put16(p + 2, v >> 16);
}
static inline void put64(uint8_t *p, uint64_t v) {
	put32(p, (uint32_t)v);
	put32(p + 4, (uint32_t)(v >> 32));
}

#endif
