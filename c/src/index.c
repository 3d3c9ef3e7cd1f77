/* SPDX-License-Identifier: Apache-2.0 */
/* Lookups by id in the hash index. */
#include "internal.h"

/* A search iterates over the index entries with a hash. */
typedef struct search {
	const pa_archive *a;
	uint64_t h, rest, line, read; /* read is the number of lines read */
	unsigned left;                /* slots of the current line that remain, as bits */
	bool goes_on;                 /* the slots have ended, and the table of crowded records has further candidates */
} search;

static search search_for(const pa_archive *a, uint64_t id, uint64_t kind) {
	search q = {.a = a, .h = (id ^ a->info.seed ^ kind * 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93};
	q.line = pai_multiply(q.h, a->info.index_lines, &q.rest);
	return q;
}

static const uint8_t *line_of(const search *q) { return q->a->bytes + q->a->region[PA_IX].at + LINE * q->line; }

/* candidates returns the slots of a line that may refer to the record, as bits. */
static unsigned candidates(const search *q, const uint8_t *line) {
	uint64_t low;
	unsigned fingerprint = (unsigned)(q->h & 0xffff) | 1, found = 0;
	unsigned own = (unsigned)pai_multiply(q->rest * line[22], SLOTS, &low);
	if (line[23] == 0) return get16(line + 2 * own) == fingerprint ? 1u << own : 0;
	for (unsigned i = 0; i < SLOTS; i++)
		if (get16(line + 2 * i) == fingerprint) found |= 1u << i;
	return found;
}

static bool is_crowded(const pa_archive *a) { return (get64(a->bytes + 40) & CROWDED) != 0; }

/* next finds the offset of the next candidate with a slot. It is 0 after the last one. */
static bool next(search *q, uint64_t *to, pa_error *e) {
	const pa_archive *a = q->a;
	*to = 0;
	while (q->left == 0) {
		if (q->read > 0 && !(get16(line_of(q) + 20) >> (q->h >> 16 & 15) & 1)) return true;
		if (q->read == a->info.max_probe) {
			q->goes_on = q->read > 0 && is_crowded(a);
			return true;
		}
		if (q->read++ > 0 && ++q->line == a->info.index_lines) q->line = 0;
		if (!pai_touch(a, a->region[PA_IX].at + LINE * q->line, LINE, e)) return false;
		q->left = candidates(q, line_of(q));
	}
	unsigned slot = 0;
	while (!(q->left >> slot & 1)) slot++;
	q->left &= q->left - 1;
	*to = place_of(get32(line_of(q) + 24 + 4 * slot));
	if (inside(a->region[PA_RW], *to, 16) || inside(a->section[METHODS], *to, 8) ||
		is_row(a->section[TYPES], *to, TYPE))
		return true;
	return pai_damage(a, e, a->region[PA_IX].at + LINE * q->line, "a slot of the index leads to no record");
}

/* candidate reads the record of a slot, which is a method record or the head of a method. */
static bool candidate(const pa_archive *a, uint64_t to, record *r, uint64_t *id, pa_error *e) {
	block b;
	if (inside(a->section[METHODS], to, 8)) return pai_record(a, to, r, e) && pai_id(a, r, id, e);
	if (!pai_block(a, to, &b, e) || !pai_record(a, b.method, r, e)) return false;
	if (pai_field(&b, PA_FIELD_ID) == 0 || r->profiles != to)
		return pai_damage(a, e, to, "the index leads to a profile that is not the first of its method");
	*id = get64(a->bytes + to + pai_field(&b, PA_FIELD_ID));
	if (!(r->flags & PA_METHOD_SHARED_ID)) add_bit(a->heads, (to - a->region[PA_RW].at) / 8);
	return true;
}

bool pai_lookup(const pa_archive *a, uint64_t id, const pa_key *key, record *r, pa_error *e) {
	search q = search_for(a, id, METHOD_KIND);
	for (;;) {
		uint64_t to, own;
		bool same = true;
		if (!next(&q, &to, e)) return false;
		if (to == 0 && q.goes_on) return pai_find_crowded(a, id, key, r, e);
		if (to == 0) return pai_fail(e, PA_NOT_FOUND, "the archive does not know the method");
		if (is_row(a->section[TYPES], to, TYPE)) continue;
		if (!candidate(a, to, r, &own, e)) return false;
		if (own != id) continue;
		if (key != NULL && !pai_has_key(a, r, key, &same, e)) return false;
		if (same) return true;
	}
}

bool pai_referred(const pa_archive *a, uint64_t at, record *r, pa_error *e) {
	uint64_t id, to;
	if (!pai_record(a, at, r, e) || !pai_id(a, r, &id, e)) return false;
	search q = search_for(a, id, METHOD_KIND);
	do {
		if (!next(&q, &to, e)) return false;
		if (to == at || (to != 0 && to == r->profiles)) return true;
	} while (to != 0);
	bool has = false;
	if (q.goes_on && !pai_has_crowded(a, id, at, &has, e)) return false;
	return has || pai_damage(a, e, at, "no method begins here: the index does not lead to it");
}

bool pai_find_type(const pa_archive *a, pa_text name, pa_text loader, uint64_t *at, pa_error *e) {
	uint64_t id = pai_fold(pai_fold(pai_fold_start(), name), loader);
	search q = search_for(a, id, TYPE_KIND);
	for (;;) {
		bool same;
		if (!next(&q, at, e)) return false;
		if (*at == 0 && q.goes_on) return pai_find_crowded_type(a, id, name, loader, at, e);
		if (*at == 0) return pai_fail(e, PA_NOT_FOUND, "the archive does not know the type");
		if (!is_row(a->section[TYPES], *at, TYPE)) continue;
		if (!pai_touch(a, *at, TYPE, e)) return false;
		if (get64(a->bytes + *at) != id) continue;
		if (!pai_type_is(a, *at, name, loader, &same, e)) return false;
		if (same) return true;
	}
}

pa_error pa_find_type(const pa_archive *a, pa_text name, pa_text loader, uint32_t *ordinal) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && given_text(name) && given_text(loader) && ordinal != NULL, &e)) return e;
	uint64_t at;
	if (pai_find_type(a, name, loader, &at, &e)) *ordinal = (uint32_t)((at - a->section[TYPES].at) / TYPE);
	return e;
}

bool pai_find_head(const pa_archive *a, uint64_t id, pa_profile *p, pa_error *e) {
	search q = search_for(a, id, METHOD_KIND);
	uint64_t to;
	span rw = a->region[PA_RW];
	if (!next(&q, &to, e) || !inside(rw, to, 24) || !has_bit(a->heads, (to - rw.at) / 8)) return false;
	const uint8_t *bytes = a->bytes + to;
	uint32_t units = get32(bytes), presence = get32(bytes + 8);
	if (get64(bytes + 16) != id || presence >> PA_FIELD_LINKS & 1 || !inside(rw, to, 8 * (uint64_t)units)) return false;
	*p = (pa_profile){a, bytes, NULL, ref_of(to), units};
	return true;
}
