//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "narrow.h"

enum { FIRST_WIDE = 64 };

/* ---- the entries of a point ---- */

narrower narrow_begin(const vm *v, const pa_profile *p, pa_section section) {
	const uint32_t *settings = pa_info_of(p->archive)->settings;
	narrower n = {.it = pa_entries_of(p, section),
		.types = settings[PA_TYPE_ROWS],
		.returns = settings[PA_BCI_ROWS],
		.gap = settings[PA_GAP]};
	if (v->type_rows >= 0) n.types = (uint32_t)v->type_rows;
	n.more = pa_entries_next(&n.it, &n.next);
	return n;
}

/* take adds an entry of a point. It skips the entries that a merge adds to HotSpot's. If two entries of HotSpot remain,
 * the VM can have neither. */
static void take(narrowed *to, const pa_entry *e) {
	bool beside = e->tag >= FIRST_WIDE && e->tag != PA_RECEIVERS && e->tag != PA_UNDECODED;
	if (beside) return;
	if (e->tag == PA_CALL_TYPE && to->types.tag == 0) to->types = *e;
	else if (to->entry.tag == 0) {
		to->entry = *e;
		to->tag = e->tag;
	} else {
		to->entry.tag = PA_UNDECODED;
		to->tag = 0;
	}
}

/* join combines the parts that a merge made of an entry. */
static void join(narrowed *to) {
	const pa_entry *e = &to->entry;
	to->traps = e->traps;
	if (e->tag == 0) {
		to->entry = to->types;
		to->tag = to->types.tag;
		to->traps = to->types.traps;
	} else if (e->tag == PA_RECEIVERS) {
		bool call = e->sub == PA_OF_CALL;
		to->tag = !call ? PA_RECEIVER_TYPE : to->types.tag != 0 ? PA_VIRTUAL_CALL_TYPE : PA_VIRTUAL_CALL;
		to->traps = (uint32_t)pa_trained(e, 1);
	} else {
		if (to->types.tag != 0) to->tag = 0;
		to->types = *e;
	}
}

/* lay_out computes the layout of the VM's entry. */
static void lay_out(const narrower *n, narrowed *to) {
	pa_rows list = {0};
	uint32_t returned, receivers = 1 + n->gap + 2 * n->types, length = 0;
	bool typed = pa_arguments_of(&to->types, &list, &returned);
	to->units = to->entry.units;
	to->first = 1 + n->gap;
	to->rows = n->types;
	switch (to->tag) {
	case PA_RECEIVER_TYPE: case PA_VIRTUAL_CALL: to->units = 1 + receivers; break;
	case PA_VIRTUAL_CALL_TYPE:
		length = receivers;
		to->units = 1 + receivers + to->types.cells - (list.first - 1);
		break;
	case PA_CALL_TYPE: length = 1; break;
	case PA_RET: to->units = 2 + 3 * n->returns; break;
	}
	if (typed) to->shift = (int32_t)length - (int32_t)(list.first - 1);
	if (n->types > MOST_ROWS) to->tag = 0; /* more than any VM has */
}

bool narrow_next(narrower *n, narrowed *to) {
	for (*to = (narrowed){0}; n->more && to->entry.tag == 0; ) {
		int32_t point = n->next.point;
		do take(to, &n->next);
		while ((n->more = pa_entries_next(&n->it, &n->next)) && n->next.point == point);
		if (to->entry.tag != 0 || to->types.tag != 0) join(to);
	}
	if (to->entry.tag != 0) lay_out(n, to);
	return to->entry.tag != 0;
}

/* ---- rows ---- */

static uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* add_others adds a count to the receivers without a row. The count of a type check is signed. */
static uint64_t add_others(const narrowed *n, uint64_t others, uint64_t count) {
	if (n->tag != PA_RECEIVER_TYPE) return sum(others, count);
	int64_t was = (int64_t)others, more = count > INT64_MAX ? INT64_MAX : (int64_t)count;
	return (uint64_t)(was > 0 && more > INT64_MAX - was ? INT64_MAX : was + more);
}

/* keep inserts a row into the kept rows, sorted by count, and returns the row that no longer fits. */
static narrow_row keep(narrow_row *rows, uint32_t *n, uint32_t room, narrow_row r) {
	uint32_t at = *n;
	while (at > 0 && rows[at - 1].count < r.count) at--;
	if (at >= room) return r;
	narrow_row last = *n == room ? rows[--*n] : (narrow_row){PA_NO_TYPE, 0};
	for (uint32_t i = ++*n; --i > at;) rows[i] = rows[i - 1];
	rows[at] = r;
	return last;
}

uint32_t narrow_rows(const narrowed *n, narrow_row rows[MOST_ROWS], uint64_t *others) {
	pa_rows of;
	uint32_t kept = 0;
	*others = pa_trained(&n->entry, 0);
	if (!pa_receivers_of(&n->entry, &of)) return 0;
	for (uint32_t i = 0; i < of.count; i++) {
		uint32_t cell = of.first + i * of.width;
		narrow_row r = {pa_cell_type(&n->entry, cell, NULL), pa_trained(&n->entry, cell + 1)};
		if (of.count <= n->rows) rows[kept++] = r;
		else if (r.type != PA_NO_TYPE) *others = add_others(n, *others, keep(rows, &kept, n->rows, r).count);
	}
	return kept;
}
