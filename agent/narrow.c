//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "narrow.h"

enum { FIRST_WIDE = 64 };

static uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* ---- the entries of a point ---- */

narrower narrow_begin(
	const vm *v, const pa_profile *p, pa_section section, uint32_t gap, uint64_t *words, uint32_t size) {
	const uint32_t *settings = pa_info_of(p->archive)->settings;
	narrower n = {.it = pa_entries_of(p, section), .words = words, .size = size, .point = -1};
	n.layout = (vm_layout){.types = settings[PA_TYPE_ROWS], .returns = settings[PA_BCI_ROWS], .gap = gap};
	if (v->type_rows >= 0) n.layout.types = (uint32_t)v->type_rows;
	if (v->bci_rows >= 0) n.layout.returns = (uint32_t)v->bci_rows;
	n.more = pa_entries_next(&n.it, &n.next);
	return n;
}

/* What the archive has at a point. */
typedef struct trained { pa_entry entry, types; uint8_t tag; uint32_t traps; } trained;

/* take adds an entry of a point. It skips the entries that a merge adds to HotSpot's. If two entries of HotSpot remain,
 * the VM can have neither. */
static void take(trained *to, const pa_entry *e) {
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
static void join(trained *to) {
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
	} else if (to->types.tag == 0) to->types = *e;
	else if (e->tag == PA_COUNTER) to->tag = PA_CALL_TYPE; /* runs with and without types of arguments were merged */
	else to->tag = 0;
}

/* next_point reads the entries of the archive's next point. It returns false at the end. */
static bool next_point(narrower *n, trained *to) {
	for (*to = (trained){0}; n->more && to->entry.tag == 0; ) {
		n->point = n->next.point;
		do take(to, &n->next);
		while ((n->more = pa_entries_next(&n->it, &n->next)) && n->next.point == n->point);
		if (to->entry.tag != 0 || to->types.tag != 0) join(to);
	}
	return to->entry.tag != 0;
}

/* plain returns the tag of a call without types of arguments, which a VM has at another TypeProfileLevel. */
static uint8_t plain(uint8_t tag) {
	return tag == PA_CALL_TYPE ? PA_COUNTER : tag == PA_VIRTUAL_CALL_TYPE ? PA_VIRTUAL_CALL : tag;
}

/* same_meaning reports whether an entry of the VM has the archive's counts. */
static bool same_meaning(const vm_entry *e, const trained *is) {
	if (e->units == 0 || is->tag == 0 || e->bci != (uint16_t)is->entry.point || plain(e->tag) != plain(is->tag))
		return false;
	return e->tag != PA_MULTI_BRANCH || e->words[1] == pa_trained(&is->entry, 0);
}

bool narrow_next(narrower *n, narrowed *to) {
	trained is;
	bool more = next_point(n, &is);
	if (n->at == n->size || !more) {
		n->differs = more || n->at < n->size;
		return false;
	}
	*to = (narrowed){vm_entry_at(n->layout, n->words + n->at, n->size - n->at), is.entry, is.types, is.traps};
	n->differs = !same_meaning(&to->vm, &is) || n->layout.types > MOST_ROWS;
	n->at += to->vm.units;
	return !n->differs;
}

uint64_t narrow_count(const narrowed *n) {
	uint64_t count = pa_trained(&n->entry, 0);
	bool split = n->entry.tag == PA_COUNTER && n->types.tag == PA_CALL_TYPE;
	return split ? sum(count, pa_trained(&n->types, 0)) : count;
}

/* ---- rows ---- */

/* add_others adds a count to the receivers without a row. The count of a type check is signed. */
static uint64_t add_others(const narrowed *n, uint64_t others, uint64_t count) {
	if (n->vm.tag != PA_RECEIVER_TYPE) return sum(others, count);
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
	enum { UNPROFILED = 1 };
	pa_rows of;
	uint32_t kept = 0;
	*others = pa_trained(&n->entry, 0);
	if (!pa_receivers_of(&n->entry, &of)) return 0;
	bool only_archive = n->entry.tag != PA_RECEIVERS && of.first > n->vm.first; /* which has nonprofiled_count */
	if (only_archive) *others = add_others(n, *others, pa_trained(&n->entry, UNPROFILED));
	for (uint32_t i = 0; i < of.count; i++) {
		uint32_t cell = of.first + i * of.width;
		narrow_row r = {pa_cell_type(&n->entry, cell, NULL), pa_trained(&n->entry, cell + 1)};
		if (of.count <= n->vm.rows) rows[kept++] = r;
		else if (r.type != PA_NO_TYPE) *others = add_others(n, *others, keep(rows, &kept, n->vm.rows, r).count);
	}
	return kept;
}
