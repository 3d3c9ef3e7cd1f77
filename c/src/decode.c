/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding of entries with their sizes, pointers and counts. */
#include "internal.h"

/* listed returns the number of cells of an entry in which cell number at holds the length *n of the list after it. */
static uint64_t listed(const uint8_t *cells, uint64_t room, uint64_t at, uint64_t *n) {
	*n = 0;
	if (room <= at) return at + 1; /* does not fit */
	*n = get64(cells + 8 * at);
	return *n > room ? room + 1 : at + 1 + *n;
}

/* narrow_cells returns the number of cells of a tag below 64. It exceeds room if they do not fit, and is UINT64_MAX for
 * an invalid tag. */
static uint64_t narrow_cells(const pa_archive *a, uint8_t tag, const uint8_t *cells, uint64_t room) {
	uint64_t n, size, receivers = 1 + a->gap + 2 * a->type_rows;
	switch (tag) {
	case PA_BIT: return 0;
	case PA_COUNTER: case PA_SPECULATIVE_TRAP: return 1;
	case PA_JUMP: return 2;
	case PA_BRANCH: return 3;
	case PA_RECEIVER_TYPE: case PA_VIRTUAL_CALL: return receivers;
	case PA_RET: return 1 + 3 * a->bci_rows;
	case PA_MULTI_BRANCH: size = listed(cells, room, 0, &n); return n < 2 || n % 2 != 0 ? UINT64_MAX : size;
	case PA_ARG_INFO: return listed(cells, room, 0, &n);
	case PA_CALL_TYPE: return listed(cells, room, 1, &n);
	case PA_VIRTUAL_CALL_TYPE: return listed(cells, room, receivers, &n);
	case PA_PARAMETERS_TYPE: size = listed(cells, room, 0, &n); return n % 2 != 0 ? UINT64_MAX : size;
	default: return UINT64_MAX;
	}
}

static uint64_t wide_cells(const pa_archive *a, uint8_t tag, uint64_t rows) {
	const shape *s = pai_shape(a, tag);
	if (s != NULL) return rows > 0 && s->row_cells == 0 ? UINT64_MAX : s->cells + rows * s->row_cells;
	switch (tag) {
	case PA_COUNTERS: case PA_UNDECODED: return rows;
	case PA_VALUE_SITE: case PA_SUCCESSORS: case PA_CALLEES: return 2 * rows;
	case PA_BITMAP: return (rows + 7) / 8;
	case PA_RECEIVERS: return 2 + 2 * rows;
	case PA_COUNT: return 1;
	default: return UINT64_MAX;
	}
}

const char *pai_entry(const pa_archive *a, const uint8_t *p, uint64_t left, pa_entry *entry) {
	if (left < 8 || left < header_of(p[0])) return "an entry is cut off";
	uint32_t header = header_of(p[0]);
	uint64_t room = (left - header) / 8, cells;
	*entry = (pa_entry){.archive = a, .bytes = p, .tag = p[0], .flags = p[1]};
	if (header == 16) {
		entry->sub = get16(p + 2);
		entry->point = (int32_t)get32(p + 4);
		entry->rows = get32(p + 12);
		cells = wide_cells(a, p[0], entry->rows);
		if (cells == UINT64_MAX) return "an entry with an unknown tag";
		if (cells != get32(p + 8)) return "an entry does not have the cells of its rows";
	} else {
		entry->point = get16(p + 2);
		entry->traps = get32(p + 4);
		cells = narrow_cells(a, p[0], p + header, room);
		if (cells == UINT64_MAX) return "an entry with an unknown tag, or an impossible number of cells";
	}
	if (cells > room) return "an entry is longer than its section";
	entry->cells = (uint32_t)cells;
	entry->units = (uint32_t)cells + header / 8;
	return NULL;
}

/* typed finds the type words of a list. Its length is in a cell. */
static unsigned typed(const pa_entry *entry, uint32_t length, slots list[2]) {
	uint32_t n = entry->cells - length - 1;
	list[0] = (slots){length + 2, 2, n / 2, TYPE_WORD};
	list[1] = (slots){length + n, 1, n % 2, TYPE_WORD};
	return 2;
}

unsigned pai_slots(const pa_entry *entry, slots list[MAX_SLOTS]) {
	const pa_archive *a = entry->archive;
	uint32_t gap = 1 + (uint32_t)a->gap, rows = (uint32_t)a->type_rows;
	switch (entry->tag) {
	case PA_RECEIVER_TYPE: case PA_VIRTUAL_CALL: list[0] = (slots){gap, 2, rows, POINTS_TO_TYPE}; return 1;
	case PA_CALL_TYPE: return typed(entry, 1, list);
	case PA_VIRTUAL_CALL_TYPE:
		list[0] = (slots){gap, 2, rows, POINTS_TO_TYPE};
		return 1 + typed(entry, gap + 2 * rows, list + 1);
	case PA_PARAMETERS_TYPE: return typed(entry, 0, list);
	case PA_SPECULATIVE_TRAP: list[0] = (slots){0, 1, 1, POINTS_TO_METHOD}; return 1;
	case PA_RECEIVERS: list[0] = (slots){2, 2, entry->rows, POINTS_TO_TYPE}; return 1;
	case PA_CALLEES: list[0] = (slots){0, 2, entry->rows, POINTS_TO_METHOD}; return 1;
	default: return entry->tag >= PA_PRODUCER ? pai_shape_slots(entry, list) : 0;
	}
}

unsigned pai_counts(const pa_entry *entry, slots list[MAX_SLOTS]) {
	uint32_t gap = (uint32_t)entry->archive->gap, rows = (uint32_t)entry->archive->type_rows;
	switch (entry->tag) {
	case PA_COUNTER: case PA_JUMP: case PA_CALL_TYPE: case PA_COUNT: list[0] = (slots){0, 1, 1, 0}; return 1;
	case PA_BRANCH: list[0] = (slots){0, 2, 2, 0}; return 1;
	case PA_RECEIVER_TYPE: case PA_VIRTUAL_CALL: case PA_VIRTUAL_CALL_TYPE:
		list[0] = (slots){0, 1, 1 + gap, 0};
		list[1] = (slots){2 + gap, 2, rows, 0};
		return 2;
	case PA_RET:
		list[0] = (slots){0, 1, 1, 0};
		list[1] = (slots){2, 3, (uint32_t)entry->archive->bci_rows, 0};
		return 2;
	case PA_MULTI_BRANCH: list[0] = (slots){1, 2, (entry->cells - 1) / 2, 0}; return 1;
	case PA_COUNTERS: list[0] = (slots){0, 1, entry->rows, 0}; return 1;
	case PA_VALUE_SITE: case PA_SUCCESSORS: case PA_CALLEES: list[0] = (slots){1, 2, entry->rows, 0}; return 1;
	case PA_RECEIVERS: list[0] = (slots){0, 1, 1, 0}; list[1] = (slots){3, 2, entry->rows, 0}; return 2;
	default: return entry->tag >= PA_PRODUCER ? pai_shape_counts(entry, list) : 0;
	}
}

bool pai_is_signed(const pa_entry *entry) {
	return entry->tag == PA_RECEIVER_TYPE || (entry->tag == PA_RECEIVERS && entry->sub == PA_OF_TYPE_CHECK);
}

bool pai_pointer(const pa_archive *a, uint64_t value, uint8_t kind) {
	if (kind == TYPE_WORD) value &= ~(uint64_t)TYPE_TAGS;
	uint64_t at = value - a->info.requested_base;
	if (value == 0) return true;
	return at % 8 == 0 &&
		(kind == POINTS_TO_METHOD ? inside(a->section[METHODS], at, 8) : is_row(a->section[TYPES], at, TYPE));
}

/* visit is like pai_visit for an entry at a file offset. */
static bool visit(const pa_entry *entry, uint64_t at, bool (*take)(void *to, uint64_t at), void *to) {
	slots list[MAX_SLOTS];
	unsigned n = pai_slots(entry, list), columns = entry->tag >= PA_PRODUCER ? pai_row_slots(entry, list, n) : 0;
	for (unsigned i = 0; i < n - columns; i++)
		for (uint32_t k = 0; k < list[i].n; k++)
			if (!take(to, at + header_of(entry->tag) + 8 * ((uint64_t)list[i].first + (uint64_t)k * list[i].stride)))
				return false;
	for (uint32_t k = 0; columns > 0 && k < entry->rows; k++) /* rows with several pointers are visited row by row */
		for (unsigned i = n - columns; i < n; i++)
			if (!take(to, at + header_of(entry->tag) + 8 * ((uint64_t)list[i].first + (uint64_t)k * list[i].stride)))
				return false;
	return true;
}

bool pai_visit(const pa_archive *a, const block *b, bool (*take)(void *to, uint64_t at), void *to) {
	pa_entry entry;
	for (unsigned i = PA_DATA; i < DIRECTORY; i++)
		for (uint64_t at = b->part[i].at; at < end_of(b->part[i]); at += 8 * (uint64_t)entry.units) {
			if (pai_entry(a, a->bytes + at, end_of(b->part[i]) - at, &entry) != NULL)
				return false; /* the file has changed since */
			if (!visit(&entry, at, take, to)) return false;
		}
	return true;
}
