/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by the files of libprofarc. Functions that can fail return false and fill an error. Public
 * functions return that error. A parameter called at is a file offset in bytes.
 */
#ifndef PROFARC_INTERNAL_H
#define PROFARC_INTERNAL_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "profarc_archive.h"

#define FORMAT 1u /* version of the format */

enum {
	HEADER = 640,
	PAGE = 4096,
	PAGE_SHIFT = 12,
	FANOUT = 64,
	LINE = 64,
	SLOTS = 10,
	TYPE = 24,
	CONTEXT = 16,
	DEEPEST = 65535,
	MAX_NAME = 1 << 20
};
enum { SYMBOLS, TYPES, METHODS, NEVER_RAN, CONTEXTS, SECTIONS };
/* number of parts of a block, and index of the one after the sections in pa_section */
enum { DIRECTORY = 4, PARTS = 5 };
enum { METHOD_KIND = 1, TYPE_KIND = 3 };   /* kinds of records in the index */
enum { DECLARED = 1, PROFILED = 2, IN_CONTEXT = 4, NAMED = 64, WITH_ID = 128 };
enum { CROWDED = 2 };                      /* required feature, see crowded.c */
enum { LEVELS = 6 };                       /* levels of page checksums, enough for a file of 32 GiB and more */

typedef struct span { uint64_t at, size; } span;

/* The page checksums. Level i begins at file offset at[i]. Bit number bit[i] + k of checked is set once its k-th group
 * of 64 checksums was verified. The bits of the pages come first. */
typedef struct sums {
	uint64_t first_page, pages;
	unsigned levels;
	uint64_t count[LEVELS], at[LEVELS], bit[LEVELS];
	_Atomic uint64_t *checked;
} sums;

struct pa_archive {
	const uint8_t *bytes;
	uint64_t size;
	int file; /* descriptor of the mapped file, -1 for an archive in memory */
	bool trusted; /* no page needs verification any more */
	pa_info info;
	uint64_t type_rows, bci_rows, gap;
	span region[PA_RW + 1], section[SECTIONS];
	sums sums;
	/* Bits for the units of rw. sound is set if a verified block begins at the unit. heads is set if that block is also
	 * the only profile for all callers of a method with a unique id. */
	_Atomic uint64_t *sound, *heads;
	struct live *live;
	struct shapes *shapes; /* for PA_CUSTOM; NULL if none are declared */
};

/* ---- adoption ---- */

enum { NOT_ADOPTED, ADOPTING, ADOPTED, MAX_LATE = 65536 };

/* text has both strings; name and loader are their sizes */
typedef struct late_type { char *text; uint32_t name, loader; } late_type;

/* The mutable state of an archive. claims has 2 bits for every unit of rw (see adopt.c), and chunks has a bit for each
 * verified bitmap of bm. Both are NULL at the requested base. */
typedef struct live {
	_Atomic int state;
	_Atomic bool undecoded; /* a checked block has a PA_UNDECODED entry; claims then look for such entries */
	pid_t process; /* process that adopted it */
	uint8_t *base;
	uint64_t size; /* size of the mapping, including late records */
	uint64_t late_at; /* offset of the late records */
	_Atomic uint64_t *claims, *chunks;
	_Atomic uint64_t *pages; /* bits of the pages of rw with claimed profiles */
	_Atomic(_Atomic(void *) *) classes; /* indexed by ordinal */
	_Atomic(uint32_t *) groups; /* methods grouped by class, see classes.c; also without adoption */
	_Atomic(pa_table *) crowded; /* see crowded_rows.c; also without adoption */
	pthread_mutex_t lock; /* serializes the adding of late types */
	late_type *late;
	uint32_t *late_index; /* hash table of late type numbers + 1 */
	_Atomic uint32_t late_count;
} live;

/* adopted returns the state of an adopted archive, or NULL. */
static inline live *adopted(const pa_archive *a) {
	return atomic_load_explicit(&a->live->state, memory_order_acquire) == ADOPTED ? a->live : NULL;
}

/* ---- bytes ---- */

static inline uint16_t get16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

static inline uint32_t get32(const uint8_t *p) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
#else
	return (uint32_t)get16(p) | (uint32_t)get16(p + 2) << 16;
#endif
}

static inline uint64_t get64(const uint8_t *p) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
#else
	return (uint64_t)get32(p) | (uint64_t)get32(p + 4) << 32;
#endif
}

static inline uint64_t round_up(uint64_t n, uint64_t align) { return (n + align - 1) / align * align; }
static inline uint64_t end_of(span s) { return s.at + s.size; }
static inline bool inside(span s, uint64_t at, uint64_t n) {
	return at >= s.at && n <= s.size && at - s.at <= s.size - n;
}
static inline bool is_row(span s, uint64_t at, uint64_t size) { return inside(s, at, size) && (at - s.at) % size == 0; }
static inline uint64_t place_of(pa_ref ref) { return (uint64_t)ref * 8; }
static inline pa_ref ref_of(uint64_t place) { return (pa_ref)(place / 8); }
static inline bool same_text(pa_text a, pa_text b) {
	return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static inline int compare_numbers(uint64_t x, uint64_t y) { return x < y ? -1 : x > y; }
static inline int pai_compare_texts(pa_text x, pa_text y) {
	size_t n = x.size < y.size ? x.size : y.size;
	int c = n > 0 ? memcmp(x.bytes, y.bytes, n) : 0;
	return c != 0 ? c : compare_numbers(x.size, y.size);
}

static inline bool has_bit(_Atomic uint64_t *set, uint64_t i) {
	return atomic_load_explicit(&set[i / 64], memory_order_acquire) >> i % 64 & 1;
}
static inline void add_bit(_Atomic uint64_t *set, uint64_t i) {
	atomic_fetch_or_explicit(&set[i / 64], (uint64_t)1 << i % 64, memory_order_release);
}

/* pai_multiply returns the high half of the product and stores the low half. */
static inline uint64_t pai_multiply(uint64_t a, uint64_t b, uint64_t *low) {
#if defined(__SIZEOF_INT128__)
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;
	*low = (uint64_t)product;
	return (uint64_t)(product >> 64);
#else
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t mid = ah * bl + (al * bl >> 32), more = al * bh + (uint32_t)mid;
	*low = a * b;
	return ah * bh + (mid >> 32) + (more >> 32);
#endif
}

/* ---- open.c: errors ---- */

pa_error pai_none(void);
pa_region pai_region_at(const pa_archive *a, uint64_t at);

/* pai_damage fills an error for a file offset, pai_system one with errno, pai_fail any other. They return false. */
bool pai_may_write(const pa_archive *a, pa_error *e); /* reports whether the archive may be adopted and copied */
static inline bool pai_damage(const pa_archive *a, pa_error *e, uint64_t at, const char *message) {
	*e = (pa_error){PA_DAMAGED, pai_region_at(a, at), at, 0, message};
	return false;
}
static inline bool pai_fail(pa_error *e, pa_code code, const char *message) {
	*e = (pa_error){code, PA_HEADER, 0, 0, message};
	return false;
}
static inline bool pai_given(bool all, pa_error *e) {
	return all || pai_fail(e, PA_ARGUMENT, "an argument is NULL, or a struct of zeros, that must not be");
}
static inline bool given_text(pa_text t) { return t.bytes != NULL || t.size == 0; }
static inline bool given_key(const pa_key *k) {
	return k != NULL && given_text(k->class_name) && given_text(k->name) && given_text(k->signature) &&
		given_text(k->loader);
}
static inline bool pai_system(pa_error *e, const char *message) {
	*e = (pa_error){PA_SYSTEM, PA_HEADER, 0, errno, message};
	return false;
}

/* ---- posix.c, windows.c ---- */

bool pai_map(const char *path, pa_archive *a, pa_error *e);
void pai_unmap(pa_archive *a);
/* pai_map_again maps the archive a second time as a private mapping, at base, or anywhere if base is 0 or occupied.
 * late zero bytes follow it. */
bool pai_map_again(const pa_archive *a, uint64_t base, uint64_t late, live *to, pa_error *e);
void pai_unmap_again(live *l);
/* pai_written_pages sets written[i] to 0 if this process has not written to page i of the second mapping. It returns
 * false if the system does not tell. */
bool pai_written_pages(const uint8_t *at, size_t pages, uint8_t *written);
/* pai_random returns random bytes in id, or false if the system has no source of them. */
bool pai_random(uint8_t id[16]);

/* ---- sums.c ---- */

/* pai_sums_open computes the offsets of the checksums. pai_sums_all verifies all pages. */
bool pai_sums_open(pa_archive *a, pa_error *e);
bool pai_sums_all(const pa_archive *a, pa_error *e);
bool pai_touch_pages(const pa_archive *a, uint64_t at, uint64_t n, pa_error *e);

/* pai_touch ensures that the pages of a range of the file were verified. The range must lie in the file after ps. */
static inline bool pai_touch(const pa_archive *a, uint64_t at, uint64_t n, pa_error *e) {
	if (a->trusted || n == 0) return true;
	uint64_t page = at >> PAGE_SHIFT;
	if (page == (at + n - 1) >> PAGE_SHIFT && has_bit(a->sums.checked, page - a->sums.first_page)) return true;
	return pai_touch_pages(a, at, n, e);
}

/* ---- hash.c ---- */

/* State of a fold over text in pieces. */
typedef struct fold { uint64_t h; uint8_t tail[16]; unsigned n; } fold;

/* State of an XXH64 over bytes in pieces. */
typedef struct sum { uint64_t v[4], length; uint8_t tail[32]; } sum;
void pai_sum_begin(sum *s);
void pai_sum_add(sum *s, const uint8_t *p, size_t n);
uint64_t pai_sum_end(const sum *s);

uint64_t pai_xxh64(const uint8_t *head, uint64_t head_size, const uint8_t *rest, uint64_t size);
uint64_t pai_md5(pa_text text);
uint64_t pai_fold_start(void);
uint64_t pai_fold(uint64_t h, pa_text text);
void pai_fold_begin(fold *f, uint64_t h, uint64_t length);
void pai_fold_add(fold *f, pa_text piece);
uint64_t pai_fold_end(fold *f);

/* ---- keyed.c ---- */

/* pai_keyed_hash adds a text to a hash, and pai_keyed_number a number. The hashes of another process differ, so no
 * result may depend on them. */
uint64_t pai_keyed_hash(uint64_t h, pa_text text);
uint64_t pai_keyed_number(uint64_t h, uint64_t number);

/* ---- records.c ---- */

/* A signature is a text or a list of symbols. */
typedef struct signature {
	pa_text text;          /* valid if parts is 0 */
	uint64_t at, parts, size; /* offset and length of the list; size is the size of its text */
} signature;

/* The record of a method, or the row of an unexecuted method. */
typedef struct record {
	uint64_t at, size, id, holder, profiles, contexts;
	uint32_t flags, access, ncontexts;
	pa_ref name, signature;
	pa_text named; /* name in a named record */
	bool row;
} record;

bool pai_symbol(const pa_archive *a, pa_ref ref, pa_text *text, pa_error *e);
bool pai_signature(const pa_archive *a, pa_ref ref, signature *s, pa_error *e);
/* pai_signature_compare compares a signature with a text like memcmp. */
bool pai_signature_compare(const pa_archive *a, const signature *s, pa_text text, int *order, pa_error *e);
bool pai_type(const pa_archive *a, uint64_t at, pa_type *type, pa_error *e);
/* pai_type_is compares the name and loader of the type at an offset. */
bool pai_type_is(const pa_archive *a, uint64_t at, pa_text name, pa_text loader, bool *same, pa_error *e);
bool pai_record(const pa_archive *a, uint64_t at, record *r, pa_error *e);
/* pai_id reads the id of a record. The id is in the record or its head. If the head is damaged, pai_id computes it from
 * the key. */
bool pai_id(const pa_archive *a, const record *r, uint64_t *id, pa_error *e);
/* pai_method fills a method from its record, with the strings of its key. */
bool pai_method(const pa_archive *a, const record *r, pa_method *m, pa_error *e);
bool pai_has_key(const pa_archive *a, const record *r, const pa_key *key, bool *same, pa_error *e);
/* pai_compare_key compares the key of a record with another one, in the order of the file. */
bool pai_compare_key(const pa_archive *a, const record *r, const pa_key *key, int *order, pa_error *e);
uint64_t pai_key_id(const pa_archive *a, const pa_key *key);

/* ---- unexecuted.c ---- */

/* Ranges of the class rows and of the rows of unexecuted methods. */
typedef struct never_ran { span classes, rows; } never_ran;

bool pai_never_ran(const pa_archive *a, never_ran *n, pa_error *e);
bool pai_row(const pa_archive *a, uint64_t class_row, uint64_t at, record *r, pa_error *e);
bool pai_find_row(const pa_archive *a, const pa_key *key, record *r, pa_error *e);
bool pai_row_at(const pa_archive *a, uint64_t at, record *r, pa_error *e);

/* ---- crowded_rows.c ---- */

/* pai_find_crowded finds the method with an id and, if key is not NULL, with that key. pai_find_crowded_type finds a
 * type. pai_has_crowded reports whether the table has the method at an offset. */
bool pai_find_crowded(const pa_archive *a, uint64_t id, const pa_key *key, record *r, pa_error *e);
bool pai_find_crowded_type(const pa_archive *a, uint64_t id, pa_text name, pa_text loader, uint64_t *at, pa_error *e);
bool pai_has_crowded(const pa_archive *a, uint64_t id, uint64_t at, bool *has, pa_error *e);

/* ---- index.c ---- */

/* pai_lookup finds the record with an id and, if key is not NULL, with that key. */
bool pai_lookup(const pa_archive *a, uint64_t id, const pa_key *key, record *r, pa_error *e);
bool pai_find_type(const pa_archive *a, pa_text name, pa_text loader, uint64_t *at, pa_error *e);
/* pai_find_head finds a profile whose block is known to be the head of a method with a unique id. If it returns false,
 * call pai_lookup. */
bool pai_find_head(const pa_archive *a, uint64_t id, pa_profile *p, pa_error *e);
/* pai_referred reads the record at an offset that something refers to. The index must contain the record. */
bool pai_referred(const pa_archive *a, uint64_t at, record *r, pa_error *e);

/* ---- walk.c ---- */

/* pai_peek_record reads the record or row at the position of an iterator of methods. At the end it returns
 * PA_NOT_FOUND. pai_skip_record advances. */
bool pai_peek_record(pa_methods *it, record *r, pa_error *e);
void pai_skip_record(pa_methods *it, const record *r);
/* pai_spend_key adds the size of a method's key to the text seen by an iteration. It fails if an archive may not have
 * that much text. */
bool pai_spend_key(const pa_archive *a, uint64_t *text, const record *r, const pa_method *m, pa_error *e);

/* ---- blocks.c ---- */

/* A block and its parts. */
typedef struct block {
	uint64_t at, size, method, context, next, code;
	uint32_t presence;
	uint64_t traps; /* size of the trap counts */
	span part[PARTS];
} block;

/* pai_field returns the offset of an optional field in its block, or 0. */
uint64_t pai_field(const block *b, unsigned i);

/* A chain iterates over the blocks of a method in one context. */
typedef struct chain { uint64_t method, context, next, code; bool begun; } chain;

bool pai_block(const pa_archive *a, uint64_t at, block *b, pa_error *e);
/* pai_step advances to the next block of a chain. *at is 0 at the end. */
bool pai_step(const pa_archive *a, chain *c, uint64_t *at, block *b, pa_error *e);
/* pai_of_code finds the block of a chain for a version of the code. */
bool pai_of_code(const pa_archive *a, chain *c, uint64_t code, block *b, pa_error *e);
void pai_profile(const pa_archive *a, const block *b, pa_profile *p);

/* ---- decode.c ---- */

/* Pointer cells of an entry. They are n cells with a distance of stride, the first one at index first. */
typedef struct slots { uint32_t first, stride, n; uint8_t kind; } slots;
enum { POINTS_TO_TYPE, TYPE_WORD, POINTS_TO_METHOD };
enum { TYPE_TAGS = 3 };

/* pai_entry decodes the entry at p, where left bytes of its section remain. It returns NULL, or a description of the
 * defect. */
const char *pai_entry(const pa_archive *a, const uint8_t *p, uint64_t left, pa_entry *entry);
/* pai_slots stores the pointer cells of an entry in at most MAX_SLOTS lists and returns the number of lists. */
enum { MAX_SLOTS = 40 };
unsigned pai_slots(const pa_entry *entry, slots list[MAX_SLOTS]);
/* pai_counts does the same for the cells that are counts. In a signed entry a count can be negative. */
unsigned pai_counts(const pa_entry *entry, slots list[MAX_SLOTS]);
bool pai_is_signed(const pa_entry *entry);
/* pai_pointer validates a pointer cell. */
bool pai_pointer(const pa_archive *a, uint64_t value, uint8_t kind);
/* rw_shift returns the binary logarithm of the alignment of an rw region with a size. */
static inline uint64_t rw_shift(uint64_t size) { return size >= 64 << 20 ? 21 : size >= 64 << 10 ? 16 : 6; }

static inline uint32_t header_of(uint8_t tag) { return tag >= 64 ? 16 : 8; }

/* pai_visit calls take with the file offset of every pointer cell of a block, ascending, until it returns false. */
bool pai_visit(const pa_archive *a, const block *b, bool (*take)(void *to, uint64_t at), void *to);

/* ---- tables.c ---- */

/* pai_columns_of returns the required column kinds of a table, as digits. */
const char *pai_columns_of(uint32_t kind);
/* pai_head_of_table reads a table, but does not verify the pages of its cells. It has no rows if the archive lacks
 * it. */
bool pai_head_of_table(const pa_archive *a, uint32_t kind, pa_table *t, pa_error *e);

/* ---- shapes.c ---- */

/* The shape of the entries with one of the producer's tags. kinds has the cells that occur once, then a row. first and
 * rows are its rows in the table of shapes, which have its name, the cells in the order of kinds, and names of bits. */
typedef struct shape { bool declared; uint8_t unit, cells, row_cells, kinds[MAX_SLOTS]; uint32_t first, rows; } shape;
typedef struct shapes { shape of[256 - PA_PRODUCER]; uint64_t *heads; uint8_t (*names)[32]; } shapes;

bool pai_shapes_open(pa_archive *a, pa_error *e);
void pai_shapes_free(shapes *s);
/* pai_check_shapes fills s->of from the table's rows. It returns NULL, or a description of the defect and its row. */
const char *pai_check_shapes(shapes *s, uint32_t rows, uint32_t *row);
/* pai_shape returns the shape of a tag, or NULL. */
static inline const shape *pai_shape(const pa_archive *a, uint8_t tag) {
	return a->shapes != NULL && tag >= PA_PRODUCER && a->shapes->of[tag - PA_PRODUCER].declared
		? &a->shapes->of[tag - PA_PRODUCER]
		: NULL;
}
unsigned pai_shape_slots(const pa_entry *entry, slots *list);
unsigned pai_shape_counts(const pa_entry *entry, slots *list);
/* pai_row_slots returns the number of lists in a producer's entry that are columns of its rows. They are the last of
 * the n lists. */
unsigned pai_row_slots(const pa_entry *entry, const slots *list, unsigned n);

/* ---- adopt.c ---- */

/* pai_may_have_counts reports whether a profile lies in a page with claimed profiles. */
bool pai_may_have_counts(const pa_profile *p);

/* ---- relocate.c ---- */

/* pai_relocate writes the relocated pointers of a block into the second mapping. It fails unless the bitmaps have the
 * same slots. */
bool pai_relocate(const pa_archive *a, const block *b, pa_error *e);
bool pai_bitmaps_open(const pa_archive *a, live *l, pa_error *e);

/* ---- bind.c ---- */

/* pai_address returns the pointer to a type in the second mapping, 0 for no type. pai_ordinal is the inverse. */
uint64_t pai_address(const pa_archive *a, uint32_t type);
uint32_t pai_ordinal(const pa_archive *a, uint64_t address);
bool pai_late_get(const pa_archive *a, uint32_t ordinal, pa_type *type);
void pai_live_free(live *l);

#endif
