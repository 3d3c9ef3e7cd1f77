/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding of a planned archive. It writes the pages in order, then their checksums, then the header. */
#include "plan.h"

/* ---- output ---- */

enum { SHEET = 1 << 20 };

/* Bytes on their way to the sink, in sheets. No page is in two sheets. */
typedef struct output {
	plan *p;
	const sink *to;
	uint8_t *ps, *sheet;
	uint64_t at;
	size_t used;
	buffer scratch;
	pa_error e;
} output;

/* level_count returns the number of checksums in a level, 0 after the last level. */
static uint64_t level_count(const plan *p, unsigned level) {
	uint64_t n = ((p->file_size - 1) >> PAGE_SHIFT) - (p->at[PA_IX] >> PAGE_SHIFT) + 1;
	for (; level > 0; level--) n = n <= FANOUT ? 0 : (n + FANOUT - 1) / FANOUT;
	return n;
}

/* level_at returns the start of a level in ps. All higher levels precede it. */
static uint64_t level_at(const plan *p, unsigned level) {
	uint64_t n, at = 0;
	for (level++; (n = level_count(p, level)) > 0; level++) at += 8 * n;
	return at;
}

static bool flush(output *o) {
	const plan *p = o->p;
	uint64_t start = o->at - o->used, sums = level_at(p, 0) - 8 * (p->at[PA_IX] >> PAGE_SHIFT);
	for (uint64_t at = start; at < o->at;) {
		uint64_t end = ((at >> PAGE_SHIFT) + 1) << PAGE_SHIFT;
		if (end > o->at) end = o->at;
		put64(o->ps + sums + 8 * (at >> PAGE_SHIFT), pai_xxh64(NULL, 0, o->sheet + (at - start), end - at));
		at = end;
	}
	bool ok = o->used == 0 || o->to->write(o->to->to, start, o->sheet, o->used, &o->e);
	o->used = 0;
	return ok;
}

static bool put(output *o, const void *bytes, uint64_t n) {
	const uint8_t *from = bytes;
	while (n > 0) {
		uint64_t room = SHEET - o->at % SHEET, part = n < room ? n : room;
		if (from != NULL) {
			memcpy(o->sheet + o->used, from, (size_t)part);
			from += part;
		} else memset(o->sheet + o->used, 0, (size_t)part);
		o->used += (size_t)part;
		o->at += part;
		n -= part;
		if (o->at % SHEET == 0 && !flush(o)) return false;
	}
	return true;
}

static bool put_zeros(output *o, uint64_t to) { return put(o, NULL, to - o->at); }

static bool put_numbers(output *o, const uint32_t *numbers, unsigned n) {
	uint8_t bytes[32];
	for (unsigned i = 0; i < n; i++) put32(bytes + 4 * i, numbers[i]);
	return put(o, bytes, 4 * (uint64_t)n);
}

#define PUT(o, ...) put_numbers(o, (uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4)

static uint32_t low(uint64_t v) { return (uint32_t)v; }
static uint32_t high(uint64_t v) { return (uint32_t)(v >> 32); }

/* ---- ro ---- */

static bool put_symbol(output *o, uint32_t ref) {
	plan *p = o->p;
	const list *l = &p->lists[ref - 1];
	const uint32_t *parts = (const void *)p->parts.bytes;
	pa_text text = pai_text(p->b, ref);
	uint64_t end = o->at + pai_symbol_size(p, ref);
	bool ok =
		l->number > 0 ? PUT(o, l->number | 1u << 31) : PUT(o, (uint32_t)text.size) && put(o, text.bytes, text.size);
	for (uint32_t i = 0; ok && i < l->number; i++) ok = PUT(o, ref_of(symbol_at(p, parts[l->first + i])));
	return ok && put_zeros(o, end);
}

static bool put_type(output *o, uint32_t ref) {
	const plan *p = o->p;
	const new_type *t = ITEM(new_type, p->b->types, ref);
	return PUT(o, low(t->id), high(t->id), ref_of(symbol_at(p, t->name)), ref_of(symbol_at(p, t->loader)),
		ref_of(symbol_at(p, t->alias)), t->flags);
}

static bool put_method(output *o, uint32_t place) {
	const plan *p = o->p;
	const method_plan *r = &p->records[place];
	const new_method *m = ITEM(new_method, p->b->methods, r->ref);
	uint64_t first = first_at(p, r->first), end = o->at + 8 * (uint64_t)r->units;
	pa_text text = pai_text(p->b, m->name);
	if (r->units == 0) return true;
	if (!PUT(o, ref_of(r->flags & NAMED ? first : symbol_at(p, m->name)), r->units | r->flags << 16)) return false;
	if (r->flags & WITH_ID && !PUT(o, low(r->id), high(r->id))) return false;
	if (r->flags & NAMED) return put(o, text.bytes, text.size) && put_zeros(o, end);
	if (r->flags & DECLARED && !PUT(o, ref_of(type_at(p, m->holder)), ref_of(symbol_at(p, m->signature)))) return false;
	if (r->flags & PROFILED && !PUT(o, ref_of(first), m->access)) return false;
	return !(r->flags & IN_CONTEXT) ||
		PUT(o, ref_of(p->section[CONTEXTS] + CONTEXT * (uint64_t)(r->first_context - 1)), r->contexts);
}

static bool put_rows(output *o) {
	const plan *p = o->p;
	if (p->nrows == 0) return true;
	if (!PUT(o, p->nclasses, 0)) return false;
	for (uint32_t i = 0; i < p->nclasses; i++)
		if (!PUT(o, ref_of(type_at(p, p->classes[i].holder)), p->classes[i].end)) return false;
	for (uint32_t i = 0; i < p->nrows; i++) {
		const new_method *m = ITEM(new_method, p->b->methods, p->records[p->rows[i]].ref);
		if (!PUT(o, ref_of(symbol_at(p, m->name)), ref_of(symbol_at(p, m->signature)))) return false;
	}
	return true;
}

static bool put_context(output *o, uint32_t ref) {
	const plan *p = o->p;
	const new_context *c = ITEM(new_context, p->b->contexts, ref);
	uint64_t parent = c->parent == 0 ? method_at(p, c->method) : context_at(p, c->parent);
	return PUT(o, ref_of(parent), ref_of(method_at(p, c->caller)), (uint32_t)c->point,
		ref_of(first_at(p, p->context_first[ref - 1])));
}

static bool put_ro(output *o) {
	const plan *p = o->p;
	bool ok = put_zeros(o, p->at[PA_RO]);
	for (uint32_t i = 0; ok && i < p->nsymbols; i++) ok = !p->needed[p->symbols[i] - 1] || put_symbol(o, p->symbols[i]);
	for (uint32_t i = 0; ok && i < p->ntypes; i++) ok = put_type(o, p->types[i]);
	for (uint32_t i = 0; ok && i < p->nmethods; i++) ok = put_method(o, i);
	ok = ok && put_rows(o);
	for (uint32_t i = 0; ok && i < p->ncontexts; i++) ok = put_context(o, p->contexts[i]);
	return ok;
}

/* ---- bm and ex ---- */

static bool put_bm(output *o) {
	const plan *p = o->p;
	uint64_t start = p->at[PA_BM] + 8 + 8 * p->nchunks;
	bool ok = put_zeros(o, p->at[PA_BM]) && PUT(o, (uint32_t)p->nchunks, 0);
	for (uint64_t i = 0; ok && i < p->nchunks; i++) {
		const chunk_plan *c = &p->chunks[i];
		ok = PUT(o, c->size == 0 ? 0 : ref_of(start + c->at), (uint32_t)c->size);
	}
	return ok && put(o, p->bitmaps.bytes, p->bitmaps.size);
}

/* by_kind returns the tables sorted by kind. */
static const new_table **by_kind(plan *p) {
	const new_table **all = pai_memory(p, p->ntables, sizeof *all);
	for (uint32_t i = 0, k; all != NULL && i < p->ntables; i++) {
		const new_table *t = ITEM(new_table, p->b->tables, i + 1);
		for (k = i; k > 0 && all[k - 1]->kind > t->kind; k--) all[k] = all[k - 1];
		all[k] = t;
	}
	return all;
}

static uint64_t cell(const plan *p, uint8_t column, uint64_t v) {
	switch (column) {
	case PA_COLUMN_SYMBOL: return ref_of(symbol_at(p, (uint32_t)v));
	case PA_COLUMN_TYPE: return ref_of(type_at(p, (uint32_t)v));
	case PA_COLUMN_METHOD: return ref_of(method_at(p, (uint32_t)v));
	case PA_COLUMN_PROFILE: return v == 0 ? 0 : ref_of(p->block_at[v - 1]);
	case PA_COLUMN_CONTEXT: return ref_of(context_at(p, (uint32_t)v));
	default: return v;
	}
}

static uint64_t column_size(const new_table *t, uint32_t i, uint64_t rows) {
	return round_up(rows * (t->kinds[i] == PA_COLUMN_WORD ? 8 : 4), 8);
}

static uint64_t table_size(const new_table *t) {
	uint64_t size = 16 + round_up(t->columns, 8), rows = t->cells.size / 8 / t->columns;
	for (uint32_t i = 0; i < t->columns; i++) size += column_size(t, i, rows);
	return size;
}

static bool put_table(output *o, const new_table *t) {
	uint64_t rows = t->cells.size / 8 / t->columns;
	uint8_t kinds[PA_MAX_COLUMNS] = {0};
	memcpy(kinds, t->kinds, t->columns);
	bool ok = PUT(o, t->kind, t->flags, t->columns, (uint32_t)rows) && put(o, kinds, round_up(t->columns, 8));
	for (uint32_t i = 0; ok && i < t->columns; i++) {
		uint64_t end = o->at + column_size(t, i, rows);
		for (uint64_t r = 0; ok && r < rows; r++) {
			uint64_t v = cell(o->p, t->kinds[i], get64(t->cells.bytes + 8 * (r * t->columns + i)));
			ok = t->kinds[i] == PA_COLUMN_WORD ? PUT(o, low(v), high(v)) : PUT(o, low(v));
		}
		ok = ok && put_zeros(o, end);
	}
	return ok;
}

static bool put_ex(output *o) {
	plan *p = o->p;
	const new_table **tables = by_kind(p);
	uint64_t at = p->at[PA_EX] + 8 + 24 * (uint64_t)p->ntables;
	if (tables == NULL) {
		o->e = p->b->error;
		return false;
	}
	bool ok = put_zeros(o, p->at[PA_EX]) && PUT(o, p->ntables, 0);
	for (uint32_t i = 0; ok && i < p->ntables; i++) {
		uint64_t size = table_size(tables[i]);
		ok = PUT(o, tables[i]->kind, 0, low(at), high(at), low(size), high(size));
		at += size;
	}
	for (uint32_t i = 0; ok && i < p->ntables; i++) ok = put_table(o, tables[i]);
	return ok;
}

/* ---- rw ---- */

typedef struct resolver {
	const plan *p;
	uint8_t *block;
} resolver; /* the block without the fields that only the file has */

static void resolve(void *to, uint64_t offset, bool method) {
	const resolver *r = to;
	uint8_t *cell = r->block + offset;
	uint64_t v = get64(cell);
	uint32_t ref = (uint32_t)(v >> REF_SHIFT);
	if (ref != 0) put64(cell, r->p->base + (method ? method_at(r->p, ref) : type_at(r->p, ref)) + (v & TYPE_TAGS));
}

static uint64_t key_symbols(const plan *p, uint32_t place, uint32_t key[4]) {
	static const new_type none;
	const new_method *m = ITEM(new_method, p->b->methods, p->records[place].ref);
	const new_type *t = m->holder == 0 ? &none : ITEM(new_type, p->b->types, m->holder);
	const uint32_t symbols[4] = {t->name, m->name, m->signature, t->loader};
	for (unsigned i = 0; i < 4; i++) key[i] = ref_of(symbol_at(p, symbols[i]));
	return p->records[place].id;
}

/* put_block writes a block. It inserts the fields that only the file has between the recorded ones. */
static bool put_block(output *o, const block_plan *d) {
	const plan *p = o->p;
	const new_profile *f = d->profile;
	uint32_t key[4], presence, units = (uint32_t)((f->size + pai_added(p, d) + d->padding) / 8);
	uint64_t id = key_symbols(p, d->method, key), next = d->followed ? d[1].at : 0;
	o->scratch.size = 0;
	if (!pai_append(p->b, &o->scratch, p->b->blocks.bytes + f->at, (size_t)f->size)) {
		o->e = p->b->error;
		return false;
	}
	uint8_t *block = o->scratch.bytes;
	pai_pointers(p->b, f, resolve, &(resolver){p, block});
	presence = get32(block + 8);
	uint64_t front = BLOCK_HEADER + (presence >> PA_FIELD_INVOCATIONS & 1 ? 8 : 0);
	presence |= (uint32_t)d->head << PA_FIELD_ID | (uint32_t)is_keyed(p, d) << PA_FIELD_KEY |
		(uint32_t)is_linked(d) << PA_FIELD_LINKS;
	if (!PUT(o, units, ref_of(p->method_at[d->method]), presence, get32(block + 12))) return false;
	if (d->head && !PUT(o, low(id), high(id))) return false;
	if (!put(o, block + BLOCK_HEADER, front - BLOCK_HEADER)) return false;
	if (is_keyed(p, d) && !put_numbers(o, key, 4)) return false;
	if (is_linked(d) && !PUT(o, ref_of(context_at(p, f->context)), ref_of(next))) return false;
	return put(o, block + front, f->size - front) && put_zeros(o, o->at + d->padding);
}

static bool put_rw(output *o) {
	bool ok = put_zeros(o, o->p->at[PA_RW]);
	for (uint32_t i = 0; ok && i < o->p->nprofiles; i++) ok = put_block(o, &o->p->blocks[i]);
	return ok;
}

/* ---- checksums and header ---- */

/* sum_levels fills the levels above the first and returns the root checksum. */
static uint64_t sum_levels(output *o) {
	const plan *p = o->p;
	unsigned level = 1;
	for (uint64_t n; (n = level_count(p, level)) > 0; level++) {
		uint64_t below = level_count(p, level - 1), from = level_at(p, level - 1);
		for (uint64_t i = 0; i < n; i++) {
			uint64_t size = 8 * (below - FANOUT * i < FANOUT ? below - FANOUT * i : FANOUT);
			put64(o->ps + level_at(p, level) + 8 * i, pai_xxh64(NULL, 0, o->ps + from + 8 * FANOUT * i, size));
		}
	}
	return pai_xxh64(NULL, 0, o->ps, 8 * level_count(p, level - 1));
}

static void put_geometry(const plan *p, uint8_t *h) {
	static const uint32_t protection[] = {0, 1, 1, 1, 3, 3, 2};
	for (unsigned r = PA_PS; r <= PA_RW; r++) {
		uint8_t *row = h + 288 + 24 * (r - PA_PS);
		put64(row, p->at[r]);
		put64(row + 8, p->size[r]);
		put32(row + 16, protection[r]);
		put32(row + 20, r);
	}
	for (unsigned i = SYMBOLS; i < SECTIONS; i++) {
		put64(h + 432 + 16 * i, p->section[i]);
		put64(h + 440 + 16 * i, p->section_size[i]);
	}
}

static void put_header(const plan *p, uint64_t root, uint8_t *h) {
	static const uint8_t magic[8] = {0x89, 'P', 'A', 'R', 'C', '\r', '\n', 0x1a};
	const pa_config *c = &p->b->config;
	memset(h, 0, HEADER);
	memcpy(h, magic, 8);
	put32(h + 8, 0x0a0b0c0d);
	put32(h + 12, FORMAT);
	put32(h + 16, HEADER);
	put64(h + 24, p->file_size);
	put64(h + 40, p->ncrowded > 0 ? CROWDED : 0);
	put32(h + 64, c->domain);
	put32(h + 68, PAGE_SHIFT);
	put64(h + 72, p->base);
	put32(h + 80, p->shift);
	put32(h + 84, p->max_probe);
	put64(h + 88, p->seed);
	put64(h + 96, root);
	put64(h + 104, p->lines);
	memcpy(h + 112, c->fingerprint, 16);
	memcpy(h + 128, c->dump_id, 16);
	put64(h + 144, (uint64_t)c->dump_time);
	put64(h + 152, c->flags);
	for (unsigned i = 0; i < PA_SETTINGS; i++) put32(h + 160 + 4 * i, c->settings[i]);
	memcpy(h + 224, p->b->producer, MAX_PRODUCER);
	memcpy(h + 608, c->producer_id, 16);
	put_geometry(p, h);
	const uint64_t counts[] = {p->nmethods, p->unexecuted, p->nprofiles, p->ncontexts, p->ntypes, p->in_section,
		p->entries, p->pointers, p->summary[0], p->summary[1], p->summary[2], p->summary[3]};
	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) put64(h + 512 + 8 * i, counts[i]);
}

/* seal stores the header's checksum in the header. */
static void seal(uint8_t *h) {
	uint8_t rest[HEADER - 8];
	memcpy(rest, h, 32);
	memcpy(rest + 32, h + 40, HEADER - 40);
	put64(h + 32, pai_xxh64(NULL, 0, rest, sizeof rest));
}

/* identify derives the dump id from the content of the archive if the builder has none. */
static void identify(uint8_t *h) {
	static const uint8_t none[16];
	uint8_t text[HEADER + 1];
	if (memcmp(h + 128, none, 16) != 0) return;
	memcpy(text, h, HEADER);
	text[HEADER] = 0;
	put64(h + 128, pai_xxh64(NULL, 0, text, sizeof text));
	text[HEADER] = 1;
	put64(h + 136, pai_xxh64(NULL, 0, text, sizeof text));
	seal(h);
}

static bool put_front(output *o, pa_report *report) {
	const plan *p = o->p;
	uint8_t h[HEADER];
	put_header(p, sum_levels(o), h);
	seal(h);
	identify(h);
	*report = (pa_report){
		.file_size = p->file_size, .requested_base = p->base, .dropped = p->b->dropped, .duplicates = p->b->duplicates};
	memcpy(report->dump_id, h + 128, 16);
	return o->to->write(o->to->to, 0, h, HEADER, &o->e) &&
		o->to->write(o->to->to, p->at[PA_PS], o->ps, (size_t)(p->at[PA_IX] - p->at[PA_PS]), &o->e);
}

bool pai_encode(plan *p, const sink *to, pa_report *report) {
	output o = {.p = p, .to = to, .at = p->at[PA_IX], .e = p->b->error};
	o.ps = pai_memory(p, p->at[PA_IX] - p->at[PA_PS], 1);
	o.sheet = pai_memory(p, SHEET, 1);
	if (o.ps == NULL || o.sheet == NULL) return false;
	bool ok = put(&o, p->index, p->size[PA_IX]) && put_ro(&o) && put_bm(&o) && put_ex(&o) && put_rw(&o) && flush(&o) &&
		put_front(&o, report);
	pai_empty(&o.scratch);
	if (!ok && sound(p->b)) p->b->error = o.e;
	return ok;
}
