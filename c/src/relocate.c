/* SPDX-License-Identifier: Apache-2.0 */
/* Relocation of blocks. The bitmaps of bm mark the pointer words of rw. */
#include <stdlib.h>

#include "internal.h"

enum { CHUNK_WORDS = 65536, CHUNK = 8 * CHUNK_WORDS, MAX_LIST = 4096, DENSE = CHUNK_WORDS / 8, FRONT = 16 };

static uint64_t chunks_of(const pa_archive *a) { return (a->region[PA_RW].size + CHUNK - 1) / CHUNK; }

bool pai_bitmaps_open(const pa_archive *a, live *l, pa_error *e) {
	span bm = a->region[PA_BM];
	if (bm.size < 8) return a->region[PA_RW].size == 0 || pai_damage(a, e, bm.at, "bm is too small");
	if (!pai_touch(a, bm.at, 8, e)) return false;
	uint64_t n = get32(a->bytes + bm.at);
	if (n != chunks_of(a) || 8 + 8 * n > bm.size) return pai_damage(a, e, bm.at, "bm has a wrong number of bitmaps");
	l->chunks = calloc(n / 64 + 1, sizeof *l->chunks);
	return l->chunks != NULL || pai_system(e, "no memory for the bits of the bitmaps");
}

/* The bitmap of a chunk, either a list of words or an array of bits. container is NULL for a chunk without pointers. */
typedef struct bitmap { const uint8_t *container; uint32_t slots; bool dense; } bitmap;

static bool check_list(const uint8_t *p, uint32_t slots, uint64_t words) {
	int64_t before = -1;
	for (uint32_t i = 0; i < slots; i++) {
		uint16_t word = get16(p + 2 * i);
		if (word <= before || word >= words) return false;
		before = word;
	}
	return true;
}

static bool check_dense(const uint8_t *p, uint32_t slots, uint64_t words) {
	uint32_t n = 0;
	for (uint32_t i = 0; i < CHUNK_WORDS; i++)
		if (p[i / 8] >> i % 8 & 1) {
			if (i >= words) return false;
			n++;
		}
	return n == slots;
}

static bool check_bitmap(const uint8_t *p, uint64_t size, const bitmap *b, uint64_t words) {
	if (get32(p) != 12346 || get32(p + 4) != 1 || get16(p + 8) != 0 || get32(p + 12) != FRONT) return false;
	if (size != FRONT + (b->dense ? DENSE : 2 * (uint64_t)b->slots)) return false;
	return b->dense ? check_dense(p + FRONT, b->slots, words) : check_list(p + FRONT, b->slots, words);
}

/* bitmap_of finds the bitmap of a chunk. It validates the bitmap the first time. */
static bool bitmap_of(const pa_archive *a, live *l, uint64_t chunk, bitmap *b, pa_error *e) {
	span bm = a->region[PA_BM];
	uint64_t row = bm.at + 8 + 8 * chunk, directory_end = bm.at + 8 + 8 * chunks_of(a);
	*b = (bitmap){NULL, 0, false};
	if (!pai_touch(a, row, 8, e)) return false;
	uint64_t at = place_of(get32(a->bytes + row)), size = get32(a->bytes + row + 4),
			 words = (a->region[PA_RW].size - chunk * CHUNK) / 8;
	if (at == 0 && size == 0) return true;
	if (size <= FRONT || size > FRONT + DENSE || at < directory_end || !inside(bm, at, size))
		return pai_damage(a, e, row, "a bitmap does not lie in bm");
	if (!pai_touch(a, at, size, e)) return false;
	b->slots = (uint32_t)get16(a->bytes + at + 10) + 1;
	b->dense = b->slots > MAX_LIST;
	b->container = a->bytes + at + FRONT;
	if (has_bit(l->chunks, chunk)) return true;
	if (!check_bitmap(a->bytes + at, size, b, words)) return pai_damage(a, e, at, "a bitmap is not one");
	add_bit(l->chunks, chunk);
	return true;
}

/* A cursor iterates over the pointer words (slots) of rw. */
typedef struct cursor {
	const pa_archive *a;
	live *l;
	uint64_t chunk; /* chunk of the bitmap; UINT64_MAX at first */
	bitmap bitmap;
	uint32_t next; /* index of the next slot in a list */
	pa_error *e;
	uint64_t word; /* word to search from */
} cursor;

/* first_from returns the first slot of a list at or after a word. */
static uint32_t first_from(const bitmap *b, uint64_t word) {
	uint32_t low = 0, high = b->slots;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (get16(b->container + 2 * middle) < word) low = middle + 1;
		else high = middle;
	}
	return low;
}

/* in_chunk returns the first slot of the chunk at or after a word, or CHUNK_WORDS. */
static uint64_t in_chunk(cursor *c, uint64_t word) {
	const bitmap *b = &c->bitmap;
	if (b->container == NULL) return CHUNK_WORDS;
	if (!b->dense) return c->next < b->slots ? get16(b->container + 2 * c->next++) : CHUNK_WORDS;
	while (word < CHUNK_WORDS && !(b->container[word / 8] >> word % 8 & 1)) word++;
	return word;
}

/* next finds the next slot before end, or returns end. */
static bool next(cursor *c, uint64_t end, uint64_t *slot) {
	for (; c->word < end; c->word = (c->chunk + 1) * CHUNK_WORDS) {
		if (c->chunk != c->word / CHUNK_WORDS) {
			c->chunk = c->word / CHUNK_WORDS;
			if (!bitmap_of(c->a, c->l, c->chunk, &c->bitmap, c->e)) return false;
			if (c->bitmap.container != NULL && !c->bitmap.dense)
				c->next = first_from(&c->bitmap, c->word % CHUNK_WORDS);
		}
		uint64_t found = in_chunk(c, c->word % CHUNK_WORDS);
		if (found == CHUNK_WORDS) continue;
		*slot = c->chunk * CHUNK_WORDS + found;
		c->word = *slot + 1;
		if (*slot > end) *slot = end;
		return true;
	}
	*slot = end;
	return true;
}

typedef struct relocation { cursor slots; uint64_t end, delta; } relocation;

/* relocate moves the pointer at a file offset. It reads the pointer from the first mapping, so the first access to the
 * page of the second mapping is a store. */
static bool relocate(void *to, uint64_t at) {
	relocation *r = to;
	const pa_archive *a = r->slots.a;
	uint64_t slot, old = get64(a->bytes + at);
	if (!next(&r->slots, r->end, &slot)) return false;
	if (slot != (at - a->region[PA_RW].at) / 8)
		return pai_damage(a, r->slots.e, at, "the bitmaps do not have the pointers of the profiles");
	if ((old & ~(uint64_t)TYPE_TAGS) == 0) return true;
	_Atomic uint64_t *cell = (_Atomic uint64_t *)(void *)(r->slots.l->base + at);
	atomic_store_explicit(cell, old + r->delta, memory_order_relaxed);
	return true;
}

bool pai_relocate(const pa_archive *a, const block *b, pa_error *e) {
	uint64_t first = (b->at - a->region[PA_RW].at) / 8, slot;
	relocation r = {{.a = a, .l = a->live, .chunk = UINT64_MAX, .e = e, .word = first}, first + b->size / 8,
		(uint64_t)(uintptr_t)a->live->base - a->info.requested_base};
	if (!pai_visit(a, b, relocate, &r))
		return e->code != PA_OK ? false : pai_damage(a, e, b->at, "the file was changed");
	if (!next(&r.slots, r.end, &slot)) return false;
	return slot == r.end || pai_damage(a, e, b->at, "the bitmaps do not have the pointers of the profiles");
}
