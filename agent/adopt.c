//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "adopt.h"

#include <string.h>

#include "adopted.h"
#include "aot_cache.h"
#include "counters.h"
#include "narrow.h"
#include "options.h"
#include "relieve.h"

enum { WORD = 8, FREE_TAG = 0, NO_PARAMETERS = -2 };

/* ---- a MethodData of the VM ---- */

/* A section of a MethodData, in words of 8 bytes. */
typedef struct part { uint64_t *words; uint32_t n; } part;

typedef struct parts { part data, extra, parameters; bool sound; } parts;

static int32_t offset_at(const vm_data *d, uint32_t at) { return (int32_t)vm_u32(d, at); }

/* parts_of finds the sections of a MethodData, which are data, extra entries, parameters and handlers. */
static parts parts_of(const vm *v, const vm_data *d) {
	int32_t end = offset_at(d, v->data.size) - (int32_t)v->data.header, data = offset_at(d, v->data.data_size);
	int32_t parameters = offset_at(d, v->data.parameters),
			handlers = v->data.handlers == 0 ? end : offset_at(d, v->data.handlers);
	uint64_t *words = (uint64_t *)(uintptr_t)((const char *)d + v->data.header);
	if (parameters == NO_PARAMETERS) parameters = handlers;
	if (data < 0 || data > parameters || parameters > handlers || handlers > end ||
		(data | parameters | handlers) % WORD != 0)
		return (parts){0};
	return (parts){{words, (uint32_t)data / WORD},
	               {words + data / WORD, (uint32_t)(parameters - data) / WORD},
	               {words + parameters / WORD, (uint32_t)(handlers - parameters) / WORD},
	               true};
}

/* ---- comparing the archive's entries with the VM's ---- */

/* The first word of an entry has the tag, flags, bci and traps. */
static uint8_t tag_of(uint64_t header) { return (uint8_t)header; }
static uint16_t bci_of(uint64_t header) { return (uint16_t)(header >> 16); }

/* same_cell compares a cell that the VM has set from the bytecodes with the archive. */
static bool same_cell(const uint64_t *words, const pa_entry *e, uint32_t cell) {
	return words[1 + cell] == pa_trained(e, cell);
}

/* same_list compares the length of a list, which is stored before the list. */
static bool same_list(const uint64_t *words, const pa_entry *e, const pa_rows *rows) {
	return rows->first == 0 || same_cell(words, e, rows->first - 1);
}

/* same_entry compares the cells of an entry that are not counts. It skips displacements, which depend on the tags, the
 * code and the number of rows. */
static bool same_entry(const uint64_t *words, const narrowed *n) {
	pa_rows rows;
	uint32_t returned;
	const pa_entry *e = &n->entry;
	if (tag_of(*words) != n->tag || bci_of(*words) != (uint16_t)e->point) return false;
	switch (n->tag) {
	case PA_MULTI_BRANCH: return same_cell(words, e, 0);
	case PA_CALL_TYPE: case PA_VIRTUAL_CALL_TYPE: case PA_PARAMETERS_TYPE:
		return pa_arguments_of(&n->types, &rows, &returned) && same_list(words + n->shift, &n->types, &rows);
	case PA_BIT:
	case PA_COUNTER:
	case PA_JUMP:
	case PA_BRANCH:
	case PA_RECEIVER_TYPE:
	case PA_VIRTUAL_CALL:
	case PA_RET: return true;
	}
	return false;
}

/* same_part compares a section with a part, which must have the same entries. It sets point to the point of the last
 * entry compared. */
static bool same_part(const vm *v, const pa_profile *p, pa_section section, part to, int32_t *point) {
	narrower it = narrow_begin(v, p, section);
	narrowed n;
	uint32_t at = 0;
	for (; narrow_next(&it, &n); at += n.units) {
		*point = n.entry.point;
		if (n.units > to.n - at || !same_entry(to.words + at, &n)) return false;
	}
	return at == to.n;
}

bool adopt_fits(const vm *v, const vm_data *d, const pa_profile *p, int32_t *point) {
	parts to = parts_of(v, d);
	*point = -1;
	return to.sound && same_part(v, p, PA_DATA, to.data, point) && same_part(v, p, PA_PARAMETERS, to.parameters, point);
}

/* is_counted reports whether an entry of the VM has a nonzero count. */
static bool is_counted(const uint64_t *words, const narrowed *n) {
	switch (n->tag) {
	case PA_COUNTER: case PA_JUMP: case PA_RET: case PA_CALL_TYPE: return words[1] != 0;
	case PA_BRANCH: return (words[1] | words[3]) != 0;
	case PA_MULTI_BRANCH: return words[2] != 0;
	case PA_RECEIVER_TYPE:
	case PA_VIRTUAL_CALL:
	case PA_VIRTUAL_CALL_TYPE: return (words[1] | (n->rows > 0 ? words[1 + n->first] : 0)) != 0;
	}
	return false;
}

bool adopt_was_trained(const vm *v, const vm_data *d, const vm_data *cached, const pa_profile *p) {
	if (cached == NULL && !aot_cache_is_elsewhere()) return false;
	if (cached != NULL && (vm_u32(cached, v->data.invocations) | vm_u32(cached, v->data.backedges)) != 0) return true;
	parts to = parts_of(v, d);
	narrower it = narrow_begin(v, p, PA_DATA);
	narrowed n;
	for (uint32_t at = 0; narrow_next(&it, &n); at += n.units)
		if (is_counted(to.data.words + at, &n)) return true;
	return false;
}

/* ---- counts ---- */

typedef struct writer {
	const vm *vm;
	jni_env *jni;
	const adopter *to;
	double factor; /* 0 sets each count to 1 */
} writer;

static const double MOST = 2e9; /* the VM's compilers add up counts in 32 bits */

uint64_t adopt_scaled(uint64_t count, double factor) {
	if (count == 0) return 0;
	double q = factor * (double)count;
	return q < 1 ? 1 : q > MOST ? (uint64_t)MOST : (uint64_t)q;
}

static uint64_t scaled(const writer *w, uint64_t count) { return adopt_scaled(count, w->factor); }

/* scaled_check scales the count of a type check, which failed checks make negative. */
static uint64_t scaled_check(const writer *w, uint64_t count) {
	int64_t n = (int64_t)count;
	return n < 0 ? (uint64_t)-(int64_t)scaled(w, (uint64_t)-(n + 1) + 1) : scaled(w, count);
}

static void put(uint64_t *words, uint32_t cell, uint64_t value) {
	__atomic_store_n(words + 1 + cell, value, __ATOMIC_RELAXED);
}

/* put_listed adds to a count and lists the addition, so that readers of the VM's profiles can subtract it. */
static void put_listed(const writer *w, adopted_kind kind, uint64_t *words, uint32_t cell, uint64_t value) {
	if (w->to->trained) put(words, cell, 0);
	if (value != 0 && adopted_add(kind, words + 1 + cell, 0, (uint32_t)value))
		__atomic_fetch_add(words + 1 + cell, value, __ATOMIC_RELAXED);
}

static void put_count(const writer *w, uint64_t *words, const pa_entry *e, uint32_t cell) {
	put_listed(w, ADOPTED_COUNT, words, cell, scaled(w, pa_trained(e, cell)));
}

/* ---- types ---- */

static callee callee_of(const writer *w, const narrowed *n) {
	if (n->tag == PA_RECEIVER_TYPE) return (callee){.kind = CALLEE_ANY};
	return calls_at(w->vm, w->to->method, n->entry.point);
}

static void put_others(const writer *w, uint64_t *words, const narrowed *n, uint64_t count) {
	if (n->tag == PA_RECEIVER_TYPE) put_listed(w, ADOPTED_CHECK, words, 0, scaled_check(w, count));
	else put_listed(w, ADOPTED_COUNT, words, 0, scaled(w, count));
}

static void put_receivers(const writer *w, uint64_t *words, const narrowed *n) {
	narrow_row rows[MOST_ROWS];
	uint64_t others;
	uint32_t found = narrow_rows(n, rows, &others), counts[1 + MOST_ROWS] = {0};
	put_others(w, words, n, others);
	callee callee = callee_of(w, n);
	counts[0] = (uint32_t)words[1];
	for (uint32_t i = 0; i < n->rows; i++) {
		uint32_t cell = n->first + 2 * i;
		if (w->to->trained) {
			put(words, cell, 0);
			put(words, cell + 1, 0);
		}
		uint64_t count = i < found ? scaled(w, rows[i].count) : 0;
		if (count == 0 || rows[i].type == PA_NO_TYPE) continue; /* a weighted merge may have set it to 0 */
		type_cell to = {w->to->data, callee, words + 1 + cell, words + 2 + cell, count};
		receivers_bind(w->jni, w->to->holder, w->to->from->first_type + rows[i].type, to);
		counts[1 + i] = (uint32_t)to.trained;
	}
	if (n->tag != PA_RECEIVER_TYPE)
		relieve_add(&(relieve_call){w->to->holder, w->to->data, words + 1, words + 1 + n->first, n->rows, counts});
}

enum { NULL_SEEN = 1, SEVERAL_TYPES = 2 };

static void put_type_word(const writer *w, uint64_t *words, const pa_entry *e, uint32_t cell) {
	unsigned tags;
	uint32_t type = pa_cell_type(e, cell, &tags);
	tags &= NULL_SEEN | SEVERAL_TYPES;
	if (w->to->trained) put(words, cell, 0);
	if (tags != 0 && adopted_add(ADOPTED_WORD, words + 1 + cell, tags, 0))
		__atomic_fetch_or(words + 1 + cell, tags, __ATOMIC_RELAXED);
	if (type == PA_NO_TYPE || (tags & SEVERAL_TYPES) != 0) return;
	receivers_bind(w->jni, w->to->holder, w->to->from->first_type + type,
		(type_cell){w->to->data, {.kind = CALLEE_ANY}, words + 1 + cell, NULL, 0});
}

static void put_arguments(const writer *w, uint64_t *words, const pa_entry *e) {
	pa_rows rows;
	uint32_t returned;
	if (!pa_arguments_of(e, &rows, &returned)) return;
	for (uint32_t i = 0; i < rows.count; i++) put_type_word(w, words, e, rows.first + i * rows.width + 1);
	if (returned != 0) put_type_word(w, words, e, returned);
}

/* ---- entries ---- */

static void put_switch(const writer *w, uint64_t *words, const pa_entry *e) {
	pa_rows rows;
	put_count(w, words, e, 1);
	if (!pa_rows_of(e, &rows)) return;
	for (uint32_t i = 0; i < rows.count; i++) put_count(w, words, e, rows.first + i * rows.width);
}

static void put_entry(const writer *w, uint64_t *words, const narrowed *n) {
	const pa_entry *e = &n->entry;
	uint64_t bits = (uint64_t)e->flags << 8 | (uint64_t)n->traps << 32;
	if (bits != 0 && adopted_add(ADOPTED_BITS, words, bits, 0))
		__atomic_fetch_or(words, bits, __ATOMIC_RELAXED);
	switch (n->tag) {
	case PA_COUNTER: case PA_JUMP: case PA_RET: put_count(w, words, e, 0); break;
	case PA_BRANCH: put_count(w, words, e, 0); put_count(w, words, e, 2); break;
	case PA_MULTI_BRANCH: put_switch(w, words, e); break;
	case PA_RECEIVER_TYPE: case PA_VIRTUAL_CALL: put_receivers(w, words, n); break;
	case PA_CALL_TYPE: put_count(w, words, e, 0); put_arguments(w, words, e); break;
	case PA_VIRTUAL_CALL_TYPE: put_receivers(w, words, n); put_arguments(w, words + n->shift, &n->types); break;
	case PA_PARAMETERS_TYPE: put_arguments(w, words, e); break;
	}
	COUNT(entries);
}

static void put_section(const writer *w, const pa_profile *p, pa_section section, part to) {
	narrower it = narrow_begin(w->vm, p, section);
	narrowed n;
	for (uint32_t at = 0; narrow_next(&it, &n); at += n.units) put_entry(w, to.words + at, &n);
}

/* put_extra records the traps at bytecodes without an entry in the free words, at the start of the extra entries. */
static void put_extra(const pa_profile *p, part vm) {
	pa_entries it = pa_entries_of(p, PA_EXTRA);
	pa_entry e;
	for (uint32_t at = 0; pa_entries_next(&it, &e);) {
		if (e.tag != PA_BIT) continue;
		uint64_t free = FREE_TAG, header;
		memcpy(&header, e.bytes, sizeof header);
		if (at == vm.n || !adopted_add(ADOPTED_BITS, vm.words + at, header, 0)) return;
		if (!__atomic_compare_exchange_n(vm.words + at++, &free, header, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
	}
}

/* ---- the method ---- */

enum {
	BACKEDGES_AN_INVOCATION = 40
}; /* HotSpot's thresholds treat these as equal, for a method that was only entered in a loop */

/* invocations_of returns the invocations of a method, or an equivalent count. */
static double invocations_of(const pa_summary *s) {
	return s->invocations > 0 ? (double)s->invocations : (double)s->backedges / BACKEDGES_AN_INVOCATION + 1;
}

uint32_t adopt_weight(const pa_summary *s, scale to) {
	double n = invocations_of(s);
	if (to.weight == WEIGHT_PRESENCE) return 1;
	if (to.share > 0 && n / to.share < to.weight) return n < to.share ? 1 : (uint32_t)(n / to.share);
	return to.weight;
}

double adopt_factor(const pa_summary *s, scale to) {
	return to.weight == WEIGHT_PRESENCE ? 0 : adopt_weight(s, to) / invocations_of(s);
}

static void put_counter(const vm *v, vm_data *d, uint32_t at, uint32_t count) {
	__atomic_store_n((uint32_t *)((char *)d + at), count * v->increment, __ATOMIC_RELAXED);
}

void adopt_nothing(const vm *v, vm_data *d) {
	put_counter(v, d, v->data.invocations, 0);
	put_counter(v, d, v->data.backedges, 0);
}

/* The numbers of trap reasons below this one, which a VM records per bytecode, are the same in all releases. */
enum { REASONS_OF_ALL_RELEASES = 9 };

static void put_traps(const vm *v, vm_data *d, const pa_profile *p, const pa_summary *s) {
	uint32_t n = s->trap_reasons < v->data.trap_reasons ? s->trap_reasons : v->data.trap_reasons;
	bool numbered_alike = pa_info_of(p->archive)->settings[PA_VM_RELEASE] == (uint32_t)v->release;
	if (!numbered_alike && n > REASONS_OF_ALL_RELEASES) n = REASONS_OF_ALL_RELEASES;
	uint8_t *counts = (uint8_t *)d + v->data.traps;
	for (uint32_t i = 0; i < n; i++)
		if (s->traps[i] != 0 && adopted_add(ADOPTED_BYTE, counts + i, 0, s->traps[i]))
			__atomic_store_n(counts + i, s->traps[i], __ATOMIC_RELAXED);
}

bool adopt(const vm *v, jni_env *jni, const adopter *a, const pa_profile *p, scale s) {
	vm_data *d = a->data;
	parts to = parts_of(v, d);
	pa_summary summary;
	pa_summarize(p, &summary);
	writer w = {v, jni, a, adopt_factor(&summary, s)};
	uint32_t weight = adopt_weight(&summary, s);
	if (!adopted_add(ADOPTED_PROFILE, a->method, (uint64_t)(uintptr_t)d, weight)) {
		adopt_nothing(v, d);
		return false;
	}
	put_counter(v, d, v->data.invocations, weight);
	put_counter(v, d, v->data.backedges, 0);
	put_traps(v, d, p, &summary);
	put_section(&w, p, PA_DATA, to.data);
	put_section(&w, p, PA_PARAMETERS, to.parameters);
	put_extra(p, to.extra);
	return true;
}

/* ---- profiles in the VM's cache ---- */

void adopt_kept(const vm *v, vm_data *d, const vm_data *cached) {
	uint32_t first = v->data.decompiles; /* the first field that the VM resets */
	memcpy((char *)d + first, (const char *)cached + first, v->data.header - first);
}

/* An entry in memory and in the cache's file. Addresses differ between the two. */
typedef struct cached_entry { uint64_t *words; const uint64_t *file; } cached_entry;

static void list_count(cached_entry e, adopted_kind kind, uint32_t cell) {
	if (e.file[1 + cell] != 0) adopted_add(kind, e.words + 1 + cell, 0, (uint32_t)e.file[1 + cell]);
}

static void list_receivers(cached_entry e, const narrowed *n) {
	list_count(e, n->tag == PA_RECEIVER_TYPE ? ADOPTED_CHECK : ADOPTED_COUNT, 0);
	for (uint32_t i = 0; i < n->rows; i++) {
		const uint64_t *row = e.words + 1 + n->first + 2 * i;
		if (row[0] != 0) adopted_add(ADOPTED_ROW, row, row[0], (uint32_t)e.file[1 + n->first + 2 * i + 1]);
	}
}

static void list_types(uint64_t *words, const pa_entry *e) {
	pa_rows rows;
	uint32_t returned;
	if (!pa_arguments_of(e, &rows, &returned)) return;
	for (uint32_t i = 0; i <= rows.count; i++) {
		uint32_t cell = i < rows.count ? rows.first + i * rows.width + 1 : returned;
		if (cell != 0 && words[1 + cell] != 0) adopted_add(ADOPTED_WORD, words + 1 + cell, words[1 + cell], 0);
	}
}

static void list_switch(cached_entry at, const pa_entry *e) {
	pa_rows rows;
	list_count(at, ADOPTED_COUNT, 1);
	for (uint32_t i = 0; pa_rows_of(e, &rows) && i < rows.count; i++)
		list_count(at, ADOPTED_COUNT, rows.first + i * rows.width);
}

static void list_entry(cached_entry at, const narrowed *n) {
	const uint64_t tag_and_bci = 0xffff00ff;
	if ((*at.file & ~tag_and_bci) != 0) adopted_add(ADOPTED_BITS, at.words, *at.file & ~tag_and_bci, 0);
	switch (n->tag) {
	case PA_COUNTER: case PA_JUMP: case PA_RET: case PA_CALL_TYPE: list_count(at, ADOPTED_COUNT, 0); break;
	case PA_BRANCH: list_count(at, ADOPTED_COUNT, 0); list_count(at, ADOPTED_COUNT, 2); break;
	case PA_MULTI_BRANCH: list_switch(at, &n->entry); break;
	case PA_RECEIVER_TYPE: case PA_VIRTUAL_CALL: case PA_VIRTUAL_CALL_TYPE: list_receivers(at, n); break;
	}
	if (n->tag == PA_CALL_TYPE || n->tag == PA_PARAMETERS_TYPE) list_types(at.words, &n->entry);
	if (n->tag == PA_VIRTUAL_CALL_TYPE) list_types(at.words + n->shift, &n->types);
}

static void list_section(const vm *v, const pa_profile *p, pa_section section, part to, part file) {
	narrower it = narrow_begin(v, p, section);
	narrowed n;
	for (uint32_t at = 0; narrow_next(&it, &n); at += n.units)
		list_entry((cached_entry){to.words + at, file.words + at}, &n);
}

void adopt_list_cached(const vm *v, const vm_method *m, vm_data *d, const vm_data *cached, const pa_profile *p) {
	parts to = parts_of(v, d), file = parts_of(v, cached);
	const uint8_t *traps = (const uint8_t *)cached + v->data.traps;
	if (!file.sound || file.data.n != to.data.n || file.parameters.n != to.parameters.n) return;
	adopted_add(ADOPTED_PROFILE, m, (uint64_t)(uintptr_t)d, vm_u32(cached, v->data.invocations) / v->increment);
	for (uint32_t i = 0; i < v->data.trap_reasons; i++)
		if (traps[i] != 0) adopted_add(ADOPTED_BYTE, (uint8_t *)d + v->data.traps + i, 0, traps[i]);
	list_section(v, p, PA_DATA, to.data, file.data);
	list_section(v, p, PA_PARAMETERS, to.parameters, file.parameters);
	for (uint32_t i = 0; i < file.extra.n && tag_of(file.extra.words[i]) == PA_BIT; i++)
		adopted_add(ADOPTED_BITS, to.extra.words + i, file.extra.words[i], 0);
}
