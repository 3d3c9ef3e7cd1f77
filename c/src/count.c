/* SPDX-License-Identifier: Apache-2.0 */
/* Counting in claimed profiles. A row keeps its type. Types are stored with release order, so a reader of the type also
 * sees the type's record. Counts are added with release order, so a reader of the count also sees the type of its
 * row. */
#include "internal.h"

pa_counter *pa_profile_word(const pa_profile *p, unsigned field) {
	pa_error e = pai_none();
	block b;
	bool counter = field == PA_FIELD_INVOCATIONS || field == PA_FIELD_BACKEDGES || field == PA_FIELD_INTERPRETED;
	if (p == NULL || p->live == NULL || !counter || !pai_block(p->archive, place_of(p->at), &b, &e) ||
		pai_field(&b, field) == 0)
		return NULL;
	return (pa_counter *)(void *)(p->live + pai_field(&b, field));
}

/* ---- type profiles ---- */

static uint64_t load(pa_counter *cell) { return atomic_load_explicit(cell, memory_order_relaxed); }

/* row_of finds the row of a type, or assigns the first empty row to it. Rows fill in order and never become empty
 * again, so two threads with the same type get the same row. */
static uint32_t row_of(const pa_entry *entry, const pa_rows *rows, uint64_t pointer) {
	for (uint32_t i = 0; i < rows->count; i++)
		if (load(pa_word(entry, rows->first + 2 * i)) == pointer) return i;
	for (uint32_t i = 0; i < rows->count; i++) {
		pa_counter *cell = pa_word(entry, rows->first + 2 * i);
		uint64_t now = 0;
		if (atomic_compare_exchange_strong_explicit(cell, &now, pointer, memory_order_release, memory_order_relaxed) ||
			now == pointer)
			return i;
	}
	return PA_NO_ROW;
}

pa_error pa_count_receiver(const pa_entry *entry, uint32_t type, uint32_t *row) {
	pa_error e = pai_none();
	if (!pai_given(entry != NULL, &e)) return e;
	pa_rows rows;
	if (!pa_receivers_of(entry, &rows)) {
		pai_fail(&e, PA_ARGUMENT, "the entry has no receivers");
		return e;
	}
	if (entry->live == NULL) {
		pai_fail(&e, PA_NOT_ADOPTED, "claim the profile first");
		return e;
	}
	uint64_t pointer = pai_address(entry->archive, type);
	if (pointer == 0) {
		pai_fail(&e, PA_NOT_FOUND, "no type has this ordinal");
		return e;
	}
	uint32_t i = row_of(entry, &rows, pointer);
	pa_count(pa_word(entry, i == PA_NO_ROW ? 0 : rows.first + 2 * i + 1), 1);
	if (row != NULL) *row = i;
	return e;
}

bool pa_receiver_at(const pa_entry *entry, uint32_t row, pa_receiver *receiver) {
	pa_rows rows;
	if (receiver == NULL || !pa_receivers_of(entry, &rows) || row >= rows.count) return false;
	uint32_t cell = rows.first + 2 * row, type = pa_cell_type(entry, cell, NULL);
	if (type == PA_NO_TYPE) return false;
	*receiver =
		(pa_receiver){.row = row, .type = type, .count = pa_cell(entry, cell + 1), .word = pa_word(entry, cell + 1)};
	receiver->binding = pa_bound(entry->archive, type, &receiver->bound);
	return true;
}

bool pa_next_bound(const pa_entry *entry, uint32_t *row, pa_receiver *receiver) {
	pa_rows rows;
	if (row == NULL || receiver == NULL || !pa_receivers_of(entry, &rows)) return false;
	while (*row < rows.count) {
		pa_receiver got;
		if (!pa_receiver_at(entry, (*row)++, &got) || got.binding != PA_BOUND) continue;
		*receiver = got;
		return true;
	}
	return false;
}

/* ---- flags and traps ---- */

static _Atomic uint32_t *half(const pa_entry *entry, uint32_t offset) {
	return (_Atomic uint32_t *)(void *)(entry->live + offset);
}

uint8_t pa_flags(const pa_entry *entry) {
	if (entry == NULL) return 0;
	return entry->live == NULL ? entry->flags
							   : (uint8_t)(atomic_load_explicit(half(entry, 0), memory_order_relaxed) >> 8);
}

/* traps_at returns the offset of the traps word. It is in the header, or in the second cell of a Receivers entry. 0
 * means none. */
static uint32_t traps_at(const pa_entry *entry) { return entry->tag < 64 ? 4 : entry->tag == PA_RECEIVERS ? 24 : 0; }

uint32_t pa_traps(const pa_entry *entry) {
	uint32_t at = entry == NULL || entry->bytes == NULL ? 0 : traps_at(entry);
	if (at == 0) return 0;
	return entry->live == NULL ? get32(entry->bytes + at) : atomic_load_explicit(half(entry, at), memory_order_relaxed);
}

pa_error pa_mark_null(const pa_entry *entry) {
	pa_error e = pai_none();
	if (!pai_given(entry != NULL, &e)) return e;
	if (entry->tag >= 64 && entry->tag != PA_RECEIVERS)
		pai_fail(&e, PA_ARGUMENT, "entries of this tag do not say whether a null was seen");
	else if (entry->live == NULL) pai_fail(&e, PA_NOT_ADOPTED, "claim the profile first");
	else atomic_fetch_or_explicit(half(entry, 0), 1u << 8, memory_order_relaxed);
	return e;
}

/* unite combines two traps words. Two different reasons become 'many', as in HotSpot. */
static uint32_t unite(uint32_t x, uint32_t y) {
	const uint32_t many = 0x7fffffff;
	uint32_t recompiled = (x | y) & ~many;
	x &= many;
	y &= many;
	return recompiled | (x == y || y == 0 ? x : x == 0 ? y : many);
}

pa_error pa_mark_trap(const pa_entry *entry, uint32_t reason, bool recompiled) {
	pa_error e = pai_none();
	if (!pai_given(entry != NULL, &e)) return e;
	uint32_t at = traps_at(entry), trap = (reason & 0x7fffffff) | (recompiled ? 0x80000000 : 0);
	if (at == 0) {
		pai_fail(&e, PA_ARGUMENT, "entries of this tag keep no traps");
		return e;
	}
	if (entry->live == NULL) {
		pai_fail(&e, PA_NOT_ADOPTED, "claim the profile first");
		return e;
	}
	uint32_t old = atomic_load_explicit(half(entry, at), memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(
		half(entry, at), &old, unite(old, trap), memory_order_relaxed, memory_order_relaxed)) {}
	return e;
}
