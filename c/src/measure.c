/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and pointers of a builder's blocks, and the bitmaps of the pointers. */
#include "plan.h"

enum { CHUNK_WORDS = 65536, ARRAY_MOST = 4096 };

/* ---- walking ---- */

/* parts_of finds the sections of a recorded block. It has no directory. */
static void parts_of(const pa_builder *b, const new_profile *f, span part[DIRECTORY]) {
	const uint8_t *p = b->blocks.bytes + f->at;
	uint64_t data = 8 * (uint64_t)get32(p + 12), others[DIRECTORY] = {0}, directory = 0, at = f->size;
	uint32_t presence = get32(p + 8);
	block own = {.presence = presence, .traps = 0};
	if (presence >> PA_FIELD_TRAPS & 1) own.traps = round_up(get32(p + pai_field(&own, PA_FIELD_TRAPS)), 8);
	if (presence >> PA_FIELD_DIRECTORY & 1) directory = 8 * (uint64_t)get32(p + pai_field(&own, PA_FIELD_DIRECTORY));
	for (unsigned i = PA_EXTRA; presence >> PA_FIELD_SECTIONS & 1 && i < DIRECTORY; i++)
		others[i] = 8 * (uint64_t)get32(p + pai_field(&own, PA_FIELD_SECTIONS) + 4 * (i - PA_EXTRA));
	others[PA_DATA] = data;
	at -= directory;
	for (unsigned i = DIRECTORY; i-- > 0;) {
		at -= others[i];
		part[i] = (span){f->at + at, others[i]};
	}
}

/* each calls take for every entry of a block. offset is the entry's offset in the block. */
static void each(const pa_builder *b, const new_profile *f,
	void (*take)(void *to, const pa_entry *entry, uint64_t offset, bool data), void *to) {
	span part[DIRECTORY];
	pa_entry entry;
	parts_of(b, f, part);
	for (unsigned i = PA_DATA; i < DIRECTORY; i++)
		for (uint64_t at = part[i].at; at < end_of(part[i]); at += 8 * (uint64_t)entry.units) {
			if (pai_entry(&b->shape, b->blocks.bytes + at, end_of(part[i]) - at, &entry) != NULL)
				break; /* cannot happen, since the builder made the entries */
			take(to, &entry, at - f->at, i == PA_DATA);
		}
}

/* ---- counts ---- */

static void count(plan *p, uint64_t v) {
	p->summary[2] = p->summary[2] > UINT64_MAX - v ? UINT64_MAX : p->summary[2] + v;
	if (v > p->summary[3]) p->summary[3] = v;
}

static void note_method(plan *p, uint64_t cell) {
	if (cell >> REF_SHIFT != 0) p->met[(cell >> REF_SHIFT) - 1] = true;
}

static void measure(void *to, const pa_entry *entry, uint64_t offset, bool data) {
	plan *p = to;
	slots list[MAX_SLOTS];
	unsigned n = pai_slots(entry, list);
	(void)offset;
	p->entries++;
	for (unsigned i = 0; i < n; i++)
		for (uint32_t k = 0; list[i].kind == POINTS_TO_METHOD && k < list[i].n; k++)
			note_method(p, pa_trained(entry, list[i].first + k * list[i].stride));
	n = data ? pai_counts(entry, list) : 0;
	for (unsigned i = 0; i < n; i++)
		for (uint32_t k = 0; k < list[i].n; k++) {
			uint64_t v = pa_trained(entry, list[i].first + k * list[i].stride);
			if (!pai_is_signed(entry) || (int64_t)v >= 0) count(p, v);
		}
}

void pai_measure(plan *p) {
	block own = {0};
	for (uint32_t i = 1; i <= p->nprofiles; i++) {
		const new_profile *f = ITEM(new_profile, p->b->profiles, i);
		const uint8_t *bytes = p->b->blocks.bytes + f->at;
		own.presence = get32(bytes + 8);
		uint64_t at = pai_field(&own, PA_FIELD_INVOCATIONS), n = at == 0 ? 0 : get64(bytes + at);
		p->summary[0] = p->summary[0] > UINT64_MAX - n ? UINT64_MAX : p->summary[0] + n;
		if (n > p->summary[1]) p->summary[1] = n;
		each(p->b, f, measure, p);
	}
}

/* ---- pointers ---- */

typedef struct pointers { void (*take)(void *to, uint64_t offset, bool method); void *to; } pointers;

static void take_cell(const pointers *each, const pa_entry *entry, uint64_t offset, const slots *l, uint32_t k) {
	each->take(each->to, offset + header_of(entry->tag) + 8 * ((uint64_t)l->first + (uint64_t)k * l->stride),
		l->kind == POINTS_TO_METHOD);
}

static void visit(void *to, const pa_entry *entry, uint64_t offset, bool data) {
	slots list[MAX_SLOTS];
	unsigned n = pai_slots(entry, list), columns = entry->tag >= PA_PRODUCER ? pai_row_slots(entry, list, n) : 0;
	(void)data;
	for (unsigned i = 0; i < n - columns; i++)
		for (uint32_t k = 0; k < list[i].n; k++) take_cell(to, entry, offset, &list[i], k);
	for (uint32_t k = 0; columns > 0 && k < entry->rows; k++) /* rows with several pointers are visited row by row */
		for (unsigned i = n - columns; i < n; i++) take_cell(to, entry, offset, &list[i], k);
}

void pai_pointers(
	const pa_builder *b, const new_profile *f, void (*take)(void *to, uint64_t offset, bool method), void *to) {
	each(b, f, visit, &(pointers){take, to});
}

uint64_t pai_added(const plan *p, const block_plan *d) {
	return (d->head ? 8 : 0) + (is_linked(d) ? 8 : 0) + (is_keyed(p, d) ? 16 : 0);
}

/* ---- bitmaps ---- */

/* The chunk under construction. start + the offset of a cell in the recorded block is the cell's offset in rw. It
 * includes the fields that only the file has. */
typedef struct collector { plan *p; uint64_t chunk, start; uint64_t bits[CHUNK_WORDS / 64]; bool ok; } collector;

static uint32_t ones(const uint64_t *bits) {
	uint32_t n = 0;
	for (unsigned i = 0; i < CHUNK_WORDS / 64; i++)
		for (uint64_t w = bits[i]; w != 0; w &= w - 1) n++;
	return n;
}

static void encode_bits(uint8_t *to, const uint64_t *bits, uint32_t n) {
	for (unsigned i = 0; i < CHUNK_WORDS / 64; i++) {
		if (n > ARRAY_MOST) {
			put64(to + 8 * i, bits[i]);
			continue;
		}
		for (unsigned k = 0; bits[i] != 0 && k < 64; k++)
			if (bits[i] >> k & 1) {
				put16(to, 64 * i + k);
				to += 2;
			}
	}
}

/* turn encodes the chunk under construction. */
static void turn(collector *c) {
	plan *p = c->p;
	uint32_t n = ones(c->bits);
	if (n == 0) return;
	uint64_t size = 16 + (n > ARRAY_MOST ? 8192 : 2 * (uint64_t)n);
	p->chunks[c->chunk] = (chunk_plan){p->bitmaps.size, size};
	uint8_t *to = pai_extend(p->b, &p->bitmaps, (size_t)round_up(size, 8));
	if (to == NULL) {
		c->ok = false;
		return;
	}
	put32(to, 12346);
	put32(to + 4, 1);
	put16(to + 8, 0);
	put16(to + 10, n - 1);
	put32(to + 12, 16);
	encode_bits(to + 16, c->bits, n);
	p->pointers += n;
	memset(c->bits, 0, sizeof c->bits);
}

static void collect(void *to, uint64_t offset, bool method) {
	collector *c = to;
	uint64_t word = (c->start + offset) / 8;
	(void)method;
	if (word / CHUNK_WORDS != c->chunk) {
		turn(c);
		c->chunk = word / CHUNK_WORDS;
	}
	c->bits[word % CHUNK_WORDS / 64] |= (uint64_t)1 << word % 64;
}

bool pai_plan_bitmaps(plan *p) {
	p->nchunks = (p->size[PA_RW] + 8 * CHUNK_WORDS - 1) / (8 * CHUNK_WORDS);
	p->chunks = pai_memory(p, p->nchunks, sizeof *p->chunks);
	collector *c = pai_memory(p, 1, sizeof *c);
	if (p->chunks == NULL || c == NULL) return false;
	c->p = p;
	c->ok = true;
	for (uint32_t i = 0; i < p->nprofiles; i++) {
		c->start = p->blocks[i].at + pai_added(p, &p->blocks[i]);
		pai_pointers(p->b, p->blocks[i].profile, collect, c);
	}
	turn(c);
	return c->ok;
}
