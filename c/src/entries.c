/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a profile, with iteration and typed accessors. */
#include "internal.h"

/* ---- iteration ---- */

static pa_entries none(const pa_profile *p) { return p == NULL ? (pa_entries){0} : (pa_entries){._profile = *p}; }

static bool is_profile(const pa_profile *p) { return p != NULL && p->archive != NULL; }
static bool is_entry(const pa_entry *entry) { return entry != NULL && entry->archive != NULL; }

pa_entries pa_entries_of(const pa_profile *p, pa_section section) {
	pa_error e = pai_none();
	pa_entries it = none(p);
	block b;
	if (is_profile(p) && (unsigned)section < DIRECTORY && pai_block(p->archive, place_of(p->at), &b, &e)) {
		it._at = b.part[section].at;
		it._end = end_of(b.part[section]);
	}
	return it;
}

/* first returns the offset of the first entry at a point, or of an earlier entry. It uses the directory if there is
 * one. */
static uint64_t first(const pa_archive *a, const block *b, int32_t point) {
	span data = b->part[PA_DATA], directory = b->part[DIRECTORY];
	uint64_t low = 0, high = directory.size / 8;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if ((int32_t)get32(a->bytes + directory.at + 8 * middle) < point) low = middle + 1;
		else high = middle;
	}
	if (directory.size == 0) return data.at;
	if (low == directory.size / 8) return end_of(data);
	uint64_t at = data.at + 8 * (uint64_t)get32(a->bytes + directory.at + 8 * low + 4);
	return at <= end_of(data) ? at : end_of(data);
}

pa_entries pa_entries_at(const pa_profile *p, int32_t point) {
	pa_error e = pai_none();
	pa_entries it = none(p);
	block b;
	it._point = point;
	it._one = true;
	if (is_profile(p) && pai_block(p->archive, place_of(p->at), &b, &e)) {
		it._at = first(p->archive, &b, point);
		it._end = end_of(b.part[PA_DATA]);
	}
	return it;
}

bool pa_entries_next(pa_entries *it, pa_entry *entry) {
	if (it == NULL || entry == NULL) return false;
	const pa_archive *a = it->_profile.archive;
	while (it->_at < it->_end) {
		uint64_t at = it->_at;
		pa_entry got;
		if (pai_entry(a, a->bytes + at, it->_end - at, &got) != NULL) break; /* the file has changed since */
		it->_at += 8 * (uint64_t)got.units;
		if (it->_one && got.point != it->_point) {
			if (got.point > it->_point) break;
			continue;
		}
		if (it->_profile.live != NULL) got.live = it->_profile.live + (at - place_of(it->_profile.at));
		*entry = got;
		return true;
	}
	it->_at = it->_end;
	return false;
}

bool pa_entry_at(const pa_profile *p, int32_t point, pa_entry *entry) {
	pa_entries it = pa_entries_at(p, point);
	return pa_entries_next(&it, entry);
}

/* ---- cells ---- */

pa_counter *pa_word(const pa_entry *entry, uint32_t i) {
	if (entry == NULL || entry->live == NULL || i >= entry->cells) return NULL;
	return (pa_counter *)(void *)(entry->live + header_of(entry->tag) + 8 * (uint64_t)i);
}

uint64_t pa_trained(const pa_entry *entry, uint32_t i) {
	return entry != NULL && i < entry->cells ? get64(entry->bytes + header_of(entry->tag) + 8 * (uint64_t)i) : 0;
}

uint64_t pa_cell(const pa_entry *entry, uint32_t i) {
	pa_counter *cell = pa_word(entry, i);
	/* Acquire order lets a reader of a pointer see the record, and a reader of a count see its row's pointer. */
	return cell != NULL ? atomic_load_explicit(cell, memory_order_acquire) : pa_trained(entry, i);
}

pa_error pa_cell_method(const pa_entry *entry, uint32_t i, pa_method *m) {
	pa_error e = pai_none();
	record r;
	if (!pai_given(is_entry(entry) && m != NULL, &e)) return e;
	uint64_t cell = pa_trained(entry, i),
			 at = cell - entry->archive->info.requested_base; /* VMs never write pointers to methods */
	if (cell == 0) pai_fail(&e, PA_NOT_FOUND, "no method");
	else if (pai_referred(entry->archive, at, &r, &e)) pai_method(entry->archive, &r, m, &e);
	return e;
}

uint32_t pa_cell_type(const pa_entry *entry, uint32_t i, unsigned *tags) {
	if (!is_entry(entry)) return PA_NO_TYPE;
	const pa_archive *a = entry->archive;
	uint64_t cell = pa_cell(entry, i);
	uint64_t pointer = cell & ~(uint64_t)TYPE_TAGS, at = pointer - a->info.requested_base;
	if (tags != NULL) *tags = (unsigned)(cell & TYPE_TAGS);
	if (entry->live != NULL) return pai_ordinal(a, pointer);
	return is_row(a->section[TYPES], at, TYPE) ? (uint32_t)((at - a->section[TYPES].at) / TYPE) : PA_NO_TYPE;
}

bool pa_count_of(const pa_entry *entry, uint64_t *count) {
	if (entry == NULL || count == NULL) return false;
	if (entry->tag != PA_COUNTER && entry->tag != PA_CALL_TYPE && entry->tag != PA_COUNT) return false;
	*count = pa_cell(entry, 0);
	return true;
}

bool pa_branch_of(const pa_entry *entry, pa_branch *branch) {
	if (entry == NULL || branch == NULL) return false;
	if (entry->tag != PA_BRANCH && entry->tag != PA_JUMP) return false;
	*branch = (pa_branch){pa_cell(entry, 0), pa_cell(entry, 2), (int64_t)pa_trained(entry, 1)};
	return true;
}

bool pa_rows_of(const pa_entry *entry, pa_rows *rows) {
	if (!is_entry(entry) || rows == NULL) return false;
	switch (entry->tag) {
	case PA_MULTI_BRANCH: *rows = (pa_rows){3, 2, (entry->cells - 3) / 2}; return true;
	case PA_RET: *rows = (pa_rows){1, 3, (entry->cells - 1) / 3}; return true;
	case PA_ARG_INFO: *rows = (pa_rows){1, 1, entry->cells - 1}; return true;
	case PA_COUNTERS: case PA_UNDECODED: *rows = (pa_rows){0, 1, entry->rows}; return true;
	case PA_VALUE_SITE: case PA_SUCCESSORS: case PA_CALLEES: *rows = (pa_rows){0, 2, entry->rows}; return true;
	default: break;
	}
	const shape *s = pai_shape(entry->archive, entry->tag);
	if (s == NULL || s->row_cells == 0) return false;
	*rows = (pa_rows){s->cells, s->row_cells, entry->rows};
	return true;
}

bool pa_receivers_of(const pa_entry *entry, pa_rows *rows) {
	if (!is_entry(entry) || rows == NULL) return false;
	const pa_archive *a = entry->archive;
	switch (entry->tag) {
	case PA_RECEIVER_TYPE: case PA_VIRTUAL_CALL: case PA_VIRTUAL_CALL_TYPE:
		*rows = (pa_rows){1 + (uint32_t)a->gap, 2, (uint32_t)a->type_rows};
		return true;
	case PA_RECEIVERS: *rows = (pa_rows){2, 2, entry->rows}; return true;
	default: return false;
	}
}

bool pa_arguments_of(const pa_entry *entry, pa_rows *rows, uint32_t *returned) {
	slots list[MAX_SLOTS];
	if (!is_entry(entry) || rows == NULL || returned == NULL) return false;
	if (entry->tag != PA_CALL_TYPE && entry->tag != PA_VIRTUAL_CALL_TYPE && entry->tag != PA_PARAMETERS_TYPE)
		return false;
	unsigned n = pai_slots(entry, list);
	*rows = (pa_rows){list[n - 2].first - 1, 2, list[n - 2].n};
	*returned = list[n - 1].n > 0 ? list[n - 1].first : 0;
	return true;
}

const uint8_t *pa_bitmap_of(const pa_entry *entry) {
	if (entry == NULL || entry->tag != PA_BITMAP) return NULL;
	return (entry->live != NULL ? entry->live : entry->bytes) + 16;
}
