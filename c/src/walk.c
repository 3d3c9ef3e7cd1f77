/* SPDX-License-Identifier: Apache-2.0 */
/* Iterators over types, methods and the profiles of a method. */
#include "internal.h"

/* spend adds n to the text seen by an iteration, and limits it. In a small file all records can share one long name. */
static bool spend(const pa_archive *a, uint64_t *text, uint64_t n, uint64_t at, pa_error *e) {
	*text += n;
	if (*text <= (uint64_t)64 << 20 || *text <= 32 * a->size) return true;
	return pai_damage(a, e, at, "names are shared so often that the keys have too much text");
}

/* ---- types ---- */

pa_types pa_types_of(const pa_archive *a) { return (pa_types){a, 0, 0}; }

pa_error pa_type_get(const pa_archive *a, uint32_t ordinal, pa_type *type) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && type != NULL, &e)) return e;
	if (ordinal >= a->info.types && pai_late_get(a, ordinal, type)) return e;
	if (ordinal >= a->info.types) pai_fail(&e, PA_NOT_FOUND, "no type has this ordinal");
	else pai_type(a, a->section[TYPES].at + TYPE * (uint64_t)ordinal, type, &e);
	return e;
}

pa_error pa_types_next(pa_types *it, pa_type *type) {
	pa_error e = pai_none();
	pa_type t;
	if (!pai_given(it != NULL && it->_archive != NULL && type != NULL, &e)) return e;
	const pa_archive *a = it->_archive;
	uint64_t at = a->section[TYPES].at + TYPE * it->_next;
	if (it->_next == a->info.types) {
		pai_fail(&e, PA_NOT_FOUND, "no more types");
		return e;
	}
	if (!pai_type(a, at, &t, &e) || !spend(a, &it->_text, t.name.size + t.loader.size + t.alias.size, at, &e)) return e;
	it->_next++;
	*type = t;
	return e;
}

/* ---- methods ---- */

pa_methods pa_methods_of(const pa_archive *a) {
	return (pa_methods){._archive = a, ._record = a == NULL ? 0 : a->section[METHODS].at};
}

/* begin finds the rows of unexecuted methods at the first use of the iterator. */
static bool begin(pa_methods *it, pa_error *e) {
	never_ran n;
	if (!pai_never_ran(it->_archive, &n, e)) return false;
	it->_class = n.classes.at;
	it->_classes_end = end_of(n.classes);
	it->_rows = it->_row = n.rows.at;
	it->_rows_end = end_of(n.rows);
	return it->_begun = true;
}

/* next_row reads the next row and advances to its class. */
static bool next_row(pa_methods *it, record *r, pa_error *e) {
	const pa_archive *a = it->_archive;
	for (;; it->_class += 8) {
		if (it->_class == it->_classes_end) return pai_damage(a, e, it->_row, "an unexecuted method of no class");
		if (!pai_touch(a, it->_class, 8, e)) return false;
		if (it->_row - it->_rows < 8 * (uint64_t)get32(a->bytes + it->_class + 4)) break;
		if (it->_class + 8 < it->_classes_end && !pai_touch(a, it->_class + 8, 8, e)) return false;
		if (it->_class + 8 < it->_classes_end && get32(a->bytes + it->_class + 12) <= get32(a->bytes + it->_class + 4))
			return pai_damage(a, e, it->_class + 8, "a class of unexecuted methods without a row");
	}
	return pai_row(a, it->_class, it->_row, r, e);
}

/* before reports whether a record sorts before a row. */
static bool before(const record *r, const record *row) {
	if (r->holder != row->holder) return r->holder < row->holder;
	if (r->name != row->name) return r->name < row->name;
	return r->signature < row->signature;
}

/* parts_of returns the number of parts in a method's signature, or 0 if it is not a list. */
static uint64_t parts_of(const pa_archive *a, const record *r) {
	return r->signature != 0 && get32(a->bytes + place_of(r->signature)) >> 31
		? get32(a->bytes + place_of(r->signature)) & 0x7fffffff
		: 0;
}

bool pai_spend_key(const pa_archive *a, uint64_t *text, const record *r, const pa_method *m, pa_error *e) {
	if (r->flags & NAMED) return true;
	uint64_t n = m->key.class_name.size + m->key.name.size + m->key.signature.size + m->key.loader.size;
	return spend(a, text, n + 16 * parts_of(a, r), r->at, e);
}

bool pai_peek_record(pa_methods *it, record *r, pa_error *e) {
	const pa_archive *a = it->_archive;
	record row;
	if (!it->_begun && !begin(it, e)) return false;
	bool records = it->_record < end_of(a->section[METHODS]), rows = it->_row < it->_rows_end;
	if (!records && !rows) {
		if (it->_class + 8 < it->_classes_end)
			return pai_damage(a, e, it->_class + 8, "a class of unexecuted methods without a row");
		return pai_fail(e, PA_NOT_FOUND, "no more methods");
	}
	if ((records && !pai_record(a, it->_record, r, e)) || (rows && !next_row(it, &row, e))) return false;
	if (!records || (rows && !before(r, &row))) *r = row;
	return true;
}

void pai_skip_record(pa_methods *it, const record *r) {
	if (r->row) it->_row += 8;
	else it->_record += r->size;
}

pa_error pa_methods_next(pa_methods *it, pa_method *m) {
	pa_error e = pai_none();
	if (!pai_given(it != NULL && it->_archive != NULL && m != NULL, &e)) return e;
	record r;
	pa_method got;
	if (!pai_peek_record(it, &r, &e) || !pai_method(it->_archive, &r, &got, &e) ||
		!pai_spend_key(it->_archive, &it->_text, &r, &got, &e))
		return e;
	pai_skip_record(it, &r);
	*m = got;
	return e;
}

/* ---- profiles of a method ---- */

pa_profiles pa_profiles_of(const pa_archive *a, const pa_method *m) {
	if (a == NULL || m == NULL) return (pa_profiles){0};
	return (pa_profiles){._contexts = pa_contexts_of(a, m), ._method = m->at, ._next = m->_profiles};
}

/* next_context advances to the chain of the next context that has one. */
static bool next_context(pa_profiles *it, pa_error *e) {
	pa_context c = {0};
	do {
		*e = pa_contexts_next(&it->_contexts, &c);
		if (e->code != PA_OK) return false;
	} while (c._profiles == 0);
	it->_context = c.at;
	it->_next = c._profiles;
	it->_code = 0;
	it->_begun = false;
	return true;
}

pa_error pa_profiles_next(pa_profiles *it, pa_profile *profile) {
	pa_error e = pai_none();
	block b;
	uint64_t at;
	if (!pai_given(it != NULL && it->_contexts._archive != NULL && profile != NULL, &e)) return e;
	const pa_archive *a = it->_contexts._archive;
	if (it->_next == 0 && !next_context(it, &e)) return e;
	chain c = {place_of(it->_method), place_of(it->_context), place_of(it->_next), it->_code, it->_begun};
	if (!pai_step(a, &c, &at, &b, &e)) {
		it->_next = 0;
		return e;
	}
	it->_next = ref_of(c.next);
	it->_code = c.code;
	it->_begun = c.begun;
	pai_profile(a, &b, profile);
	return e;
}
