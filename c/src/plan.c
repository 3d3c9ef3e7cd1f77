/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of an archive, with the offsets of all records and blocks. */
#include "plan.h"

enum { MAX_NAMED = 65535 * 8 - 16, HEAD = 32 };

/* ---- records ---- */

/* chain_blocks links the blocks of each method and context, and notes the first one. */
static bool chain_blocks(plan *p) {
	p->blocks = pai_memory(p, p->nprofiles, sizeof *p->blocks);
	p->context_first = pai_memory(p, p->ncontexts, sizeof *p->context_first);
	if (p->blocks == NULL || p->context_first == NULL) return false;
	for (uint32_t i = 0; i < p->nprofiles; i++) {
		block_plan *d = &p->blocks[i];
		d->profile = ITEM(new_profile, p->b->profiles, p->profiles[i]);
		d->method = p->method_rank[d->profile->method - 1];
		if (i > 0 && d[-1].method == d->method && d[-1].profile->context == d->profile->context) d[-1].followed = true;
		else if (d->profile->context == 0) {
			d->head = true;
			p->records[d->method].first = i + 1;
		} else p->context_first[d->profile->context - 1] = i + 1;
	}
	return true;
}

/* meet_callers notes the methods that must have run because contexts or sampled stacks contain them. The measuring of
 * blocks notes the methods that entries point to. */
static void meet_callers(plan *p) {
	const new_table *samples = pai_table(p->b, PA_TABLE_SAMPLES);
	for (uint32_t i = 0; i < p->ncontexts; i++) {
		const new_context *c = ITEM(new_context, p->b->contexts, p->contexts[i]);
		method_plan *r = &p->records[p->method_rank[c->method - 1]];
		if (r->contexts++ == 0) r->first_context = i + 1;
		p->met[c->caller - 1] = true;
	}
	for (size_t at = 8; samples != NULL && at < samples->cells.size; at += 8 * (size_t)samples->columns) {
		uint64_t method = get64(samples->cells.bytes + at);
		if (method != 0) p->met[method - 1] = true;
	}
}

static void plan_record(plan *p, method_plan *r) {
	const new_method *m = ITEM(new_method, p->b->methods, r->ref);
	uint32_t name = ITEM(symbol, p->b->symbols, m->name)->size;
	bool ran = r->first != 0 || r->contexts > 0 || p->met[r->ref - 1];
	r->id = m->id;
	r->flags = m->flags;
	if (m->holder != 0 || m->signature != 0) r->flags |= DECLARED;
	if (m->access != 0) r->flags |= PROFILED;
	if (r->contexts > 0) r->flags |= IN_CONTEXT;
	if (m->seen && !ran) {
		r->flags |= PA_METHOD_UNEXECUTED;
		p->unexecuted++;
	}
	if (r->first == 0) r->flags |= WITH_ID;
	uint32_t fields = (r->flags & WITH_ID) != 0;
	if (!(r->flags & (DECLARED | PROFILED | IN_CONTEXT)) && name <= MAX_NAMED) {
		r->flags |= NAMED;
		r->units = 1 + fields + (name + 7) / 8;
		return;
	}
	if (r->first != 0) r->flags |= PROFILED;
	r->units =
		1 + fields + ((r->flags & DECLARED) != 0) + ((r->flags & PROFILED) != 0) + ((r->flags & IN_CONTEXT) != 0);
}

static bool plan_records(plan *p) {
	p->records = pai_memory(p, p->nmethods, sizeof *p->records);
	p->met = pai_memory(p, p->nmethods, sizeof *p->met);
	if (p->records == NULL || p->met == NULL) return false;
	for (uint32_t i = 0; i < p->nmethods; i++) p->records[i].ref = p->methods[i];
	if (!chain_blocks(p)) return false;
	meet_callers(p);
	pai_measure(p);
	for (uint32_t i = 0; i < p->nmethods; i++) plan_record(p, &p->records[i]);
	return true;
}

/* mark_shared_ids marks methods whose id is not unique. Records of one kind have equal hashes if and only if their ids
 * are equal. Of one hash, types come first. */
static void mark_shared_ids(plan *p) {
	for (uint32_t i = 1; i < p->nhashed; i++) {
		const hashed *h = &p->hashed[i - 1];
		if (h[0].hash != h[1].hash || h[0].number < p->ntypes) continue;
		p->records[h[0].number - p->ntypes].flags |= PA_METHOD_SHARED_ID;
		p->records[h[1].number - p->ntypes].flags |= PA_METHOD_SHARED_ID;
	}
}

/* ---- rows ---- */

/* is_alone reports whether a type has no loader and a unique name other than "". */
static bool is_alone(const plan *p, uint32_t type) {
	uint32_t rank = p->type_rank[type - 1];
	const new_type *t = ITEM(new_type, p->b->types, type);
	if (t->loader != 0 || pai_text(p->b, t->name).size == 0) return false;
	if (rank > 0 && ITEM(new_type, p->b->types, p->types[rank - 1])->name == t->name) return false;
	return rank + 1 == p->ntypes || ITEM(new_type, p->b->types, p->types[rank + 1])->name != t->name;
}

/* plan_rows removes the records of methods that can be stored as rows. */
static bool plan_rows(plan *p) {
	p->classes = pai_memory(p, p->unexecuted, sizeof *p->classes);
	p->rows = pai_memory(p, p->unexecuted, sizeof *p->rows);
	if (p->classes == NULL || p->rows == NULL) return false;
	for (uint32_t i = 0; i < p->nmethods; i++) {
		method_plan *r = &p->records[i];
		uint32_t holder = ITEM(new_method, p->b->methods, r->ref)->holder;
		if (r->flags != (WITH_ID | DECLARED | PA_METHOD_UNEXECUTED) || holder == 0 || !is_alone(p, holder)) continue;
		r->units = 0;
		if (p->nclasses == 0 || p->classes[p->nclasses - 1].holder != holder) p->classes[p->nclasses++].holder = holder;
		p->rows[p->nrows++] = i;
		p->classes[p->nclasses - 1].end = p->nrows;
	}
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->nhashed; i++)
		if (p->hashed[i].number < p->ntypes || p->records[p->hashed[i].number - p->ntypes].units != 0)
			p->hashed[n++] = p->hashed[i];
	p->nhashed = n;
	return true;
}

/* ---- offsets ---- */

/* padding_before returns the padding that puts the front of a block into one cache line, or 0 for a small block. */
static uint32_t padding_before(uint64_t at, uint64_t size) {
	uint64_t pad = (0 - at) % LINE;
	return pad >= HEAD || pad > size / 16 ? 0 : (uint32_t)pad;
}

static uint64_t place_blocks(plan *p) {
	uint64_t size = 0;
	for (uint32_t i = 0; i < p->nprofiles; i++) {
		block_plan *d = &p->blocks[i];
		if (i > 0) {
			d[-1].padding = padding_before(size, d->profile->size);
			size += d[-1].padding;
		}
		d->at = size;
		size += d->profile->size + pai_added(p, d);
	}
	return size;
}

static uint64_t tables_size(const plan *p) {
	uint64_t size = 8;
	for (uint32_t i = 1; i <= p->ntables; i++) {
		const new_table *t = ITEM(new_table, p->b->tables, i);
		uint64_t rows = t->cells.size / 8 / t->columns;
		size += 24 + 16 + round_up(t->columns, 8);
		for (uint32_t k = 0; k < t->columns; k++) size += round_up(rows * (t->kinds[k] == PA_COLUMN_WORD ? 8 : 4), 8);
	}
	return size;
}

static bool measure_regions(plan *p) {
	p->section_size[TYPES] = TYPE * (uint64_t)p->ntypes;
	for (uint32_t i = 0; i < p->nmethods; i++) p->section_size[METHODS] += 8 * (uint64_t)p->records[i].units;
	p->section_size[NEVER_RAN] = p->nrows == 0 ? 0 : 8 + 8 * (uint64_t)p->nclasses + 8 * (uint64_t)p->nrows;
	p->section_size[CONTEXTS] = CONTEXT * (uint64_t)p->ncontexts;
	for (unsigned i = SYMBOLS; i < SECTIONS; i++) p->size[PA_RO] += p->section_size[i];
	p->size[PA_EX] = tables_size(p);
	p->size[PA_RW] = place_blocks(p);
	if (!pai_plan_bitmaps(p)) return false;
	p->size[PA_BM] = 8 + 8 * p->nchunks + p->bitmaps.size;
	return true;
}

/* sums_size returns the size of the page checksums of [start, end). */
static uint64_t sums_size(uint64_t start, uint64_t end) {
	uint64_t n = start == end ? 0 : ((end - 1) >> PAGE_SHIFT) - (start >> PAGE_SHIFT) + 1, all = n;
	for (; n > FANOUT; all += n) n = (n + FANOUT - 1) / FANOUT;
	return 8 * all;
}

/* place_regions computes the offsets of the regions. It iterates, because the checksums grow with the file and the file
 * with the checksums. */
static bool place_regions(plan *p) {
	p->shift = (unsigned)rw_shift(p->size[PA_RW]);
	for (uint64_t needed = 0;; p->size[PA_PS] = needed) {
		uint64_t end = HEADER;
		for (unsigned r = PA_PS; r <= PA_RW; end = p->at[r] + p->size[r], r++)
			p->at[r] = round_up(end, r == PA_RW ? (uint64_t)1 << p->shift : LINE);
		p->file_size = end;
		needed = sums_size(p->at[PA_IX], end);
		if (p->size[PA_PS] >= needed) break;
	}
	if (p->file_size > MAX_FILE) return pai_refuse(p->b, PA_TOO_LARGE, "the archive would have more than 32 GiB");
	uint64_t at = p->at[PA_RO];
	for (unsigned i = SYMBOLS; i < SECTIONS; at += p->section_size[i++]) p->section[i] = at;
	return true;
}

/* locate turns offsets in sections and regions into file offsets. */
static bool locate(plan *p) {
	p->method_at = pai_memory(p, p->nmethods, sizeof *p->method_at);
	p->block_at = pai_memory(p, p->nprofiles, sizeof *p->block_at);
	if (p->method_at == NULL || p->block_at == NULL) return false;
	for (uint32_t i = 0; i < p->nsymbols; i++) p->symbol_at[i] += p->section[SYMBOLS];
	uint64_t at = p->section[METHODS], row = p->section[NEVER_RAN] + 8 + 8 * (uint64_t)p->nclasses;
	for (uint32_t i = 0; i < p->nmethods; at += 8 * (uint64_t)p->records[i++].units) p->method_at[i] = at;
	for (uint32_t i = 0; i < p->nrows; i++, row += 8) p->method_at[p->rows[i]] = row;
	for (uint32_t i = 0; i < p->nprofiles; i++) {
		p->blocks[i].at += p->at[PA_RW];
		p->block_at[p->profiles[i] - 1] = p->blocks[i].at;
	}
	return true;
}

static void measure_index(plan *p) {
	p->lines = ((uint64_t)p->ntypes + p->nmethods - p->nrows + 4) / 5;
	if (p->lines == 0) p->lines = 1;
	p->size[PA_IX] = p->lines * LINE;
}

/* plan_index decides which records have a slot in the index, and which a row of the table of crowded records. */
static bool plan_index(plan *p) {
	if (!pai_hash_records(p, 0)) return false;
	mark_shared_ids(p);
	if (!plan_rows(p)) return false;
	measure_index(p);
	return pai_fill_index(p) && pai_list_crowded(p);
}

/* request_base derives the requested base from the fingerprint and the keys, so that it does not depend on counts. */
static bool request_base(plan *p) {
	uint8_t *ids = pai_memory(p, 16 + 8 * (uint64_t)p->nmethods, 1);
	if (ids == NULL) return false;
	memcpy(ids, p->b->config.fingerprint, 16);
	for (uint32_t i = 0; i < p->nmethods; i++) put64(ids + 16 + 8 * (uint64_t)i, p->records[i].id);
	p->base = 0x500000000000 + pai_xxh64(NULL, 0, ids, 16 + 8 * (uint64_t)p->nmethods) % 256 * 2 * MAX_FILE;
	return true;
}

static void take_counts(plan *p) {
	const pa_builder *b = p->b;
	p->nsymbols = (uint32_t)COUNT(symbol, b->symbols);
	p->ntypes = (uint32_t)COUNT(new_type, b->types);
	p->nmethods = (uint32_t)COUNT(new_method, b->methods);
	p->ncontexts = (uint32_t)COUNT(new_context, b->contexts);
	p->nprofiles = (uint32_t)COUNT(new_profile, b->profiles);
	p->ntables = (uint32_t)COUNT(new_table, b->tables);
}

bool pai_plan(pa_builder *b, plan *p) {
	*p = (plan){.b = b};
	if (!sound(b)) return false;
	if (b->open.open) return pai_refuse(b, PA_ARGUMENT, "a profile was neither done nor discarded");
	pai_drop_table(b, PA_TABLE_CROWDED);
	if (!pai_sort_sets(b) || !pai_list_hot(b) || !pai_list_shapes(b)) return false;
	take_counts(p);
	if (!pai_order_all(p) || !plan_records(p) || !pai_plan_symbols(p) || !plan_index(p)) return false;
	if (!measure_regions(p) || !place_regions(p) || !pai_check_key_text(p) || !locate(p)) return false;
	pai_refer_index(p);
	return request_base(p);
}
