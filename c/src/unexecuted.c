/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that were never executed. The archive stores their keys in rows grouped by class. */
#include "internal.h"

bool pai_never_ran(const pa_archive *a, never_ran *n, pa_error *e) {
	span s = a->section[NEVER_RAN];
	*n = (never_ran){{s.at, 0}, {s.at, 0}};
	if (s.size == 0) return true;
	if (!pai_touch(a, s.at, 8, e)) return false; /* a section has at least one unit */
	uint64_t size = 8 * (uint64_t)get32(a->bytes + s.at);
	if (size > s.size - 8) return pai_damage(a, e, s.at, "more classes of unexecuted methods than there is room for");
	n->classes = (span){s.at + 8, size};
	n->rows = (span){s.at + 8 + size, s.size - 8 - size};
	if (size == 0) return n->rows.size == 0 || pai_damage(a, e, s.at, "unexecuted methods of no class");
	uint64_t last = end_of(n->classes) - 8;
	if (!pai_touch(a, n->classes.at, 8, e) || !pai_touch(a, last, 8, e)) return false;
	if (get32(a->bytes + n->classes.at + 4) == 0)
		return pai_damage(a, e, n->classes.at, "a class of unexecuted methods without a row");
	return 8 * (uint64_t)get32(a->bytes + last + 4) == n->rows.size ||
		pai_damage(a, e, last, "a wrong number of unexecuted methods");
}

bool pai_row(const pa_archive *a, uint64_t class_row, uint64_t at, record *r, pa_error *e) {
	if (!pai_touch(a, class_row, 8, e) || !pai_touch(a, at, 8, e)) return false;
	*r = (record){.at = at,
		.size = 8,
		.flags = DECLARED | PA_METHOD_UNEXECUTED,
		.row = true,
		.holder = place_of(get32(a->bytes + class_row)),
		.name = get32(a->bytes + at),
		.signature = get32(a->bytes + at + 4)};
	return true;
}

/* first_above finds the first class row in which the number at offset field is at least n. */
static bool first_above(const pa_archive *a, span classes, unsigned field, uint64_t n, uint64_t *at, pa_error *e) {
	uint64_t low = 0, high = classes.size / 8;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2, row = classes.at + 8 * middle;
		if (!pai_touch(a, row, 8, e)) return false;
		if (get32(a->bytes + row + field) < n) low = middle + 1;
		else high = middle;
	}
	*at = classes.at + 8 * low;
	return true;
}

bool pai_row_at(const pa_archive *a, uint64_t at, record *r, pa_error *e) {
	never_ran n;
	uint64_t class_row;
	if (!pai_never_ran(a, &n, e)) return false;
	if (!is_row(n.rows, at, 8)) return pai_damage(a, e, at, "a method where the classes of unexecuted methods are");
	if (!first_above(a, n.classes, 4, (at - n.rows.at) / 8 + 1, &class_row, e)) return false;
	if (class_row == end_of(n.classes)) return pai_damage(a, e, at, "an unexecuted method of no class");
	return pai_row(a, class_row, at, r, e);
}

/* rows_of finds the rows of a class. They begin at the end of the previous class. */
static bool rows_of(const pa_archive *a, const never_ran *n, uint64_t class_row, span *rows, pa_error *e) {
	uint64_t from = 0, to = get32(a->bytes + class_row + 4);
	if (class_row > n->classes.at) {
		if (!pai_touch(a, class_row - 8, 8, e)) return false;
		from = get32(a->bytes + class_row - 4);
	}
	if (from >= to || to > n->rows.size / 8)
		return pai_damage(a, e, class_row, "a class of unexecuted methods without a row");
	*rows = (span){n->rows.at + 8 * from, 8 * (to - from)};
	return true;
}

/* compare_row compares the name and signature of a row with a key. */
static bool compare_row(const pa_archive *a, const record *r, const pa_key *key, int *order, pa_error *e) {
	signature name = {0}, s;
	if (!pai_symbol(a, r->name, &name.text, e) || !pai_signature_compare(a, &name, key->name, order, e)) return false;
	if (*order != 0) return true;
	return pai_signature(a, r->signature, &s, e) && pai_signature_compare(a, &s, key->signature, order, e);
}

bool pai_find_row(const pa_archive *a, const pa_key *key, record *r, pa_error *e) {
	never_ran n;
	uint64_t holder, class_row;
	span rows;
	if (a->section[NEVER_RAN].size == 0 || key->class_name.size == 0 || key->loader.size != 0)
		return pai_fail(e, PA_NOT_FOUND, "the archive does not know the method");
	if (!pai_find_type(a, key->class_name, key->loader, &holder, e) || !pai_never_ran(a, &n, e)) return false;
	if (!first_above(a, n.classes, 0, holder / 8, &class_row, e)) return false;
	if (class_row == end_of(n.classes) || get32(a->bytes + class_row) != holder / 8)
		return pai_fail(e, PA_NOT_FOUND, "the archive does not know the method");
	if (!rows_of(a, &n, class_row, &rows, e)) return false;
	uint64_t low = 0, high = rows.size / 8;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		int order;
		if (!pai_row(a, class_row, rows.at + 8 * middle, r, e) || !compare_row(a, r, key, &order, e)) return false;
		if (order == 0) return true;
		if (order < 0) low = middle + 1;
		else high = middle;
	}
	return pai_fail(e, PA_NOT_FOUND, "the archive does not know the method");
}
