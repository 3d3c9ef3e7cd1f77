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

enum { GAP_UNKNOWN = -1, MOST_WITHOUT_BCI = 0xffff };

/* Number of cells between the count and the receiver rows. The VM does not export it. The first MethodData with a
 * receiver shows it. 0 is tried first: in an empty MethodData that has the cell, the word where the next entry would
 * begin without it is a count of 0 or the length of a list, which is no entry of a later bytecode. The reverse is not
 * true, since the type of a return value can be taken for the length of an empty list. In a MethodData with counts that
 * word can be a count. Up to MOST_WITHOUT_BCI it has no bytecode index, and so is no entry of a later bytecode. */
static int32_t receiver_gap = GAP_UNKNOWN;

static narrower begin_section(const vm *v, const pa_profile *p, pa_section section, part to) {
	int32_t gap = __atomic_load_n(&receiver_gap, __ATOMIC_RELAXED);
	return narrow_begin(v, p, section, gap == 1, to.words, to.n);
}

narrower adopt_entries(const vm *v, const vm_data *d, const pa_profile *p) {
	return begin_section(v, p, PA_DATA, parts_of(v, d).data);
}

static bool has_receivers(uint8_t tag) {
	return tag == PA_RECEIVER_TYPE || tag == PA_VIRTUAL_CALL || tag == PA_VIRTUAL_CALL_TYPE;
}

/* fits_with compares all entries with a number of cells before the receiver rows. receivers is set if there are any. */
static bool fits_with(const vm *v, const pa_profile *p, uint32_t gap, part to, int32_t *point, bool *receivers) {
	narrower it = narrow_begin(v, p, PA_DATA, gap, to.words, to.n);
	narrowed n;
	while (narrow_next(&it, &n))
		if (has_receivers(n.vm.tag)) *receivers = true;
	*point = it.point;
	return !it.differs;
}

bool adopt_fits(const vm *v, const vm_data *d, const pa_profile *p, int32_t *point) {
	parts to = parts_of(v, d);
	int32_t known = __atomic_load_n(&receiver_gap, __ATOMIC_RELAXED);
	bool receivers = false;
	*point = -1;
	if (!to.sound) return false;
	if (known != GAP_UNKNOWN) return fits_with(v, p, (uint32_t)known, to.data, point, &receivers);
	for (int32_t gap = 0; gap <= 1; gap++, receivers = false) {
		if (!fits_with(v, p, (uint32_t)gap, to.data, point, &receivers)) continue;
		if (receivers) __atomic_store_n(&receiver_gap, gap, __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

/* is_counted reports whether an entry of the VM has a nonzero count. */
static bool is_counted(const vm_entry *e) {
	const uint64_t *words = e->words;
	switch (e->tag) {
	case PA_COUNTER: case PA_JUMP: case PA_RET: case PA_CALL_TYPE: return words[1] != 0;
	case PA_BRANCH: return (words[1] | words[3]) != 0;
	case PA_MULTI_BRANCH: return words[2] != 0;
	case PA_RECEIVER_TYPE:
	case PA_VIRTUAL_CALL:
	case PA_VIRTUAL_CALL_TYPE: return (words[1] | (e->rows > 0 ? words[1 + e->first] : 0)) != 0;
	}
	return false;
}

bool adopt_was_trained(const vm *v, const vm_data *d, const vm_data *cached, const pa_profile *p) {
	if (cached == NULL && !aot_cache_is_elsewhere()) return false;
	if (cached != NULL && (vm_u32(cached, v->data.invocations) | vm_u32(cached, v->data.backedges)) != 0) return true;
	narrower it = adopt_entries(v, d, p);
	narrowed n;
	while (narrow_next(&it, &n))
		if (is_counted(&n.vm)) return true;
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

static void put_count(const writer *w, const narrowed *n, uint32_t cell) {
	put_listed(w, ADOPTED_COUNT, n->vm.words, cell, scaled(w, pa_trained(&n->entry, cell)));
}

/* ---- types ---- */

static callee callee_of(const writer *w, const narrowed *n) {
	if (n->vm.tag == PA_RECEIVER_TYPE) return (callee){.kind = CALLEE_ANY};
	return calls_at(w->vm, w->to->method, n->entry.point);
}

static void put_others(const writer *w, const narrowed *n, uint64_t count) {
	if (n->vm.tag == PA_RECEIVER_TYPE) put_listed(w, ADOPTED_CHECK, n->vm.words, 0, scaled_check(w, count));
	else put_listed(w, ADOPTED_COUNT, n->vm.words, 0, scaled(w, count));
}

static bool has_receiver(const vm_entry *e) {
	for (uint32_t i = 0; i < e->rows; i++)
		if (__atomic_load_n(e->words + 1 + e->first + 2 * i, __ATOMIC_RELAXED) != 0) return true;
	return false;
}

/* add_receivers adds to the rows of a call at which the VM has counted receivers. */
static void add_receivers(const writer *w, const narrowed *n, const narrow_row *rows, uint32_t found, callee of) {
	uint64_t *first = n->vm.words + 1 + n->vm.first;
	for (uint32_t i = 0; i < found; i++) {
		uint64_t count = scaled(w, rows[i].count);
		if (count == 0 || rows[i].type == PA_NO_TYPE) continue;
		receivers_bind(w->jni, w->to->holder, layer_type(w->to->from, rows[i].type),
			(type_cell){w->to->data, of, first, first + 1, count, n->vm.rows});
	}
}

static void put_receivers(const writer *w, const narrowed *n) {
	narrow_row rows[MOST_ROWS];
	uint64_t others, *words = n->vm.words;
	uint32_t found = narrow_rows(n, rows, &others), counts[1 + MOST_ROWS] = {0};
	put_others(w, n, others);
	callee callee = callee_of(w, n);
	if (w->to->started && has_receiver(&n->vm)) {
		add_receivers(w, n, rows, found, callee);
		return;
	}
	counts[0] = (uint32_t)words[1];
	for (uint32_t i = 0; i < n->vm.rows; i++) {
		uint32_t cell = n->vm.first + 2 * i;
		if (w->to->trained) {
			put(words, cell, 0);
			put(words, cell + 1, 0);
		}
		uint64_t count = i < found ? scaled(w, rows[i].count) : 0;
		if (count == 0 || rows[i].type == PA_NO_TYPE) continue; /* a weighted merge may have set it to 0 */
		type_cell to = {w->to->data, callee, words + 1 + cell, words + 2 + cell, count, 0};
		receivers_bind(w->jni, w->to->holder, layer_type(w->to->from, rows[i].type), to);
		counts[1 + i] = (uint32_t)to.trained;
	}
	if (n->vm.tag != PA_RECEIVER_TYPE)
		relieve_add(&(relieve_call){w->to->holder, w->to->data, words + 1, words + 1 + n->vm.first, n->vm.rows,
			counts});
}

enum { NULL_SEEN = 1, SEVERAL_TYPES = 2 };

/* put_type_word writes cell from of an entry of the archive to a cell of the VM. */
static void put_type_word(const writer *w, uint64_t *words, uint32_t cell, const pa_entry *e, uint32_t from) {
	unsigned tags;
	uint32_t type = pa_cell_type(e, from, &tags);
	tags &= NULL_SEEN | SEVERAL_TYPES;
	if (w->to->trained) put(words, cell, 0);
	if (w->to->started && __atomic_load_n(words + 1 + cell, __ATOMIC_RELAXED) != 0) return;
	if (tags != 0 && adopted_add(ADOPTED_WORD, words + 1 + cell, tags, 0))
		__atomic_fetch_or(words + 1 + cell, tags, __ATOMIC_RELAXED);
	if (type == PA_NO_TYPE || (tags & SEVERAL_TYPES) != 0) return;
	receivers_bind(w->jni, w->to->holder, layer_type(w->to->from, type),
		(type_cell){w->to->data, {.kind = CALLEE_ANY}, words + 1 + cell, NULL, 0, 0});
}

/* type_of_slot returns the cell with the type of a stack slot in an archive's list, or 0. */
static uint32_t type_of_slot(const pa_entry *e, const pa_rows *rows, uint64_t slot) {
	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t cell = rows->first + i * rows->width;
		if (pa_trained(e, cell) == slot) return cell + 1;
	}
	return 0;
}

static void put_arguments(const writer *w, const narrowed *n) {
	pa_rows rows;
	uint32_t returned, from;
	const vm_types *to = &n->vm.types;
	uint64_t *words = n->vm.words;
	if (!pa_arguments_of(&n->types, &rows, &returned)) return;
	for (uint32_t i = 0; i < to->count; i++) {
		uint32_t cell = to->first + 2 * i;
		if ((from = type_of_slot(&n->types, &rows, words[1 + cell])) != 0)
			put_type_word(w, words, cell + 1, &n->types, from);
	}
	if (returned != 0 && to->returned != 0) put_type_word(w, words, to->returned, &n->types, returned);
}

/* ---- entries ---- */

static void put_call(const writer *w, const narrowed *n) {
	put_listed(w, ADOPTED_COUNT, n->vm.words, 0, scaled(w, narrow_count(n)));
}

static void put_switch(const writer *w, const narrowed *n) {
	pa_rows rows;
	put_count(w, n, 1);
	if (!pa_rows_of(&n->entry, &rows)) return;
	for (uint32_t i = 0; i < rows.count; i++) put_count(w, n, rows.first + i * rows.width);
}

/* missing_bits returns the flags and traps of an archived entry that the VM's entry lacks. Two trap codes cannot be
 * combined, so one that the VM has set stays. */
static uint64_t missing_bits(const narrowed *n) {
	uint64_t has = __atomic_load_n(n->vm.words, __ATOMIC_RELAXED);
	uint64_t traps = has >> 32 == 0 ? (uint64_t)n->traps << 32 : 0;
	return traps | ((uint64_t)n->entry.flags << 8 & ~has);
}

static void put_entry(const writer *w, const narrowed *n) {
	uint64_t *words = n->vm.words, bits = missing_bits(n);
	if (bits != 0 && adopted_add(ADOPTED_BITS, words, bits, 0)) __atomic_fetch_or(words, bits, __ATOMIC_RELAXED);
	switch (n->vm.tag) {
	case PA_JUMP: case PA_RET: put_count(w, n, 0); break;
	case PA_COUNTER: case PA_CALL_TYPE: put_call(w, n); break;
	case PA_BRANCH: put_count(w, n, 0); put_count(w, n, 2); break;
	case PA_MULTI_BRANCH: put_switch(w, n); break;
	case PA_RECEIVER_TYPE: case PA_VIRTUAL_CALL: case PA_VIRTUAL_CALL_TYPE: put_receivers(w, n); break;
	}
	put_arguments(w, n);
	COUNT(entries);
}

static void put_section(const writer *w, const pa_profile *p, pa_section section, part to) {
	narrower it = begin_section(w->vm, p, section, to);
	narrowed n;
	while (narrow_next(&it, &n)) put_entry(w, &n);
}

/* put_extra records the traps at bytecodes without an entry in the free words, at the start of the extra entries. */
static void put_extra(const pa_profile *p, part vm) {
	while (vm.n > 0 && __atomic_load_n(vm.words, __ATOMIC_RELAXED) != FREE_TAG) {
		vm.words++;
		vm.n--;
	}
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

/* put_invocations sets the counters of a MethodData, or adds to the counts of this run. */
static void put_invocations(const vm *v, const adopter *to, uint32_t weight) {
	if (to->started) {
		uint32_t *invocations = (uint32_t *)((char *)to->data + v->data.invocations);
		__atomic_fetch_add(invocations, weight * v->increment, __ATOMIC_RELAXED);
		return;
	}
	put_counter(v, to->data, v->data.invocations, weight);
	put_counter(v, to->data, v->data.backedges, 0);
}

bool adopt_can_add(const vm *v, const vm_data *d, uint32_t limit) {
	uint32_t invocations = vm_u32(d, v->data.invocations) / v->increment;
	uint32_t backedges = vm_u32(d, v->data.backedges) / v->increment;
	bool known = __atomic_load_n(&receiver_gap, __ATOMIC_RELAXED) != GAP_UNKNOWN;
	return invocations < limit && backedges / BACKEDGES_AN_INVOCATION < limit &&
		(known || (uint64_t)invocations + backedges <= MOST_WITHOUT_BCI);
}

void adopt_nothing(const vm *v, vm_data *d) {
	put_counter(v, d, v->data.invocations, 0);
	put_counter(v, d, v->data.backedges, 0);
}

static void put_traps(const vm *v, const adopter *a, const pa_summary *s) {
	uint8_t *counts = (uint8_t *)a->data + v->data.traps;
	for (uint32_t i = 0; i < s->trap_reasons && i < MOST_REASONS; i++) {
		uint8_t reason = a->from->reasons[i];
		if (s->traps[i] == 0 || reason == 0 || reason >= v->data.trap_reasons || counts[reason] != 0) continue;
		if (adopted_add(ADOPTED_BYTE, counts + reason, 0, s->traps[i]))
			__atomic_store_n(counts + reason, s->traps[i], __ATOMIC_RELAXED);
	}
}

bool adopt(const vm *v, jni_env *jni, const adopter *a, const pa_profile *p, scale s) {
	vm_data *d = a->data;
	parts to = parts_of(v, d);
	pa_summary summary;
	pa_summarize(p, &summary);
	writer w = {v, jni, a, adopt_factor(&summary, s)};
	uint32_t weight = adopt_weight(&summary, s);
	if (!adopted_add(ADOPTED_PROFILE, a->method, (uint64_t)(uintptr_t)d, weight)) {
		if (!a->started) adopt_nothing(v, d);
		return false;
	}
	put_invocations(v, a, weight);
	put_traps(v, a, &summary);
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

/* An entry in memory, and its words in the cache's file. Addresses differ between the two. */
typedef struct cached_entry { vm_entry vm; const uint64_t *file; } cached_entry;

static void list_count(const cached_entry *e, adopted_kind kind, uint32_t cell) {
	if (e->file[1 + cell] != 0) adopted_add(kind, e->vm.words + 1 + cell, 0, (uint32_t)e->file[1 + cell]);
}

static void list_receivers(const cached_entry *e) {
	list_count(e, e->vm.tag == PA_RECEIVER_TYPE ? ADOPTED_CHECK : ADOPTED_COUNT, 0);
	for (uint32_t i = 0; i < e->vm.rows; i++) {
		uint32_t cell = e->vm.first + 2 * i;
		const uint64_t *row = e->vm.words + 1 + cell;
		if (row[0] != 0) adopted_add(ADOPTED_ROW, row, row[0], (uint32_t)e->file[1 + cell + 1]);
	}
}

static void list_type(const uint64_t *words, uint32_t cell) {
	if (cell != 0 && words[1 + cell] != 0) adopted_add(ADOPTED_WORD, words + 1 + cell, words[1 + cell], 0);
}

static void list_types(const vm_entry *e) {
	for (uint32_t i = 0; i < e->types.count; i++) list_type(e->words, e->types.first + 2 * i + 1);
	list_type(e->words, e->types.returned);
}

static void list_switch(const cached_entry *e, const pa_entry *archived) {
	pa_rows rows;
	list_count(e, ADOPTED_COUNT, 1);
	for (uint32_t i = 0; pa_rows_of(archived, &rows) && i < rows.count; i++)
		list_count(e, ADOPTED_COUNT, rows.first + i * rows.width);
}

static void list_entry(const cached_entry *e, const pa_entry *archived) {
	const uint64_t tag_and_bci = 0xffff00ff;
	if ((*e->file & ~tag_and_bci) != 0) adopted_add(ADOPTED_BITS, e->vm.words, *e->file & ~tag_and_bci, 0);
	switch (e->vm.tag) {
	case PA_COUNTER: case PA_JUMP: case PA_RET: case PA_CALL_TYPE: list_count(e, ADOPTED_COUNT, 0); break;
	case PA_BRANCH: list_count(e, ADOPTED_COUNT, 0); list_count(e, ADOPTED_COUNT, 2); break;
	case PA_MULTI_BRANCH: list_switch(e, archived); break;
	case PA_RECEIVER_TYPE: case PA_VIRTUAL_CALL: case PA_VIRTUAL_CALL_TYPE: list_receivers(e); break;
	}
	list_types(&e->vm);
}

static void list_section(const vm *v, const pa_profile *p, pa_section section, part to, part file) {
	narrower it = begin_section(v, p, section, to);
	narrowed n;
	while (narrow_next(&it, &n))
		list_entry(&(cached_entry){n.vm, file.words + (n.vm.words - to.words)}, &n.entry);
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
	for (uint32_t i = 0; i < file.extra.n && (uint8_t)file.extra.words[i] == PA_BIT; i++)
		adopted_add(ADOPTED_BITS, to.extra.words + i, file.extra.words[i], 0);
}
