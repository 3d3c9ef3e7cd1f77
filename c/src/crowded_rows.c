/* SPDX-License-Identifier: Apache-2.0 */
/* Lookups in the table of the records that have no slot in the index. */
#include <stdlib.h>

#include "internal.h"

enum { ID, METHOD, TYPE_COLUMN };

/* table_of returns the table, without rows if the archive lacks it. It is read at the first search that needs it. */
static const pa_table *table_of(const pa_archive *a, pa_error *e) {
	pa_table *now = atomic_load_explicit(&a->live->crowded, memory_order_acquire), *made;
	if (now != NULL) return now;
	if ((made = calloc(1, sizeof *made)) == NULL) {
		pai_system(e, "no memory for a table");
		return NULL;
	}
	if (!pai_head_of_table(a, PA_TABLE_CROWDED, made, e)) {
		free(made);
		return NULL;
	}
	if (atomic_compare_exchange_strong(&a->live->crowded, &now, made)) return made;
	free(made);
	return now;
}

static bool cell(const pa_table *t, uint32_t column, uint32_t row, uint64_t *value, pa_error *e) {
	uint64_t width = column == ID ? 8 : 4;
	if (!pai_touch(t->archive, t->_columns[column] + width * row, width, e)) return false;
	*value = pa_table_cell(t, column, row);
	return true;
}

/* first_of finds the first row that is not before the methods with an id, or before its types. */
static bool first_of(const pa_table *t, uint64_t id, bool types, uint32_t *row, pa_error *e) {
	uint32_t low = 0, high = t->rows;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint64_t own, method = 0;
		if (!cell(t, ID, middle, &own, e) || (own == id && !cell(t, METHOD, middle, &method, e))) return false;
		if (own < id || (own == id && types && method != 0)) low = middle + 1;
		else high = middle;
	}
	*row = low;
	return true;
}

/* A sought record, and how to compare one at an offset with it. found has the record of a method. */
typedef struct sought {
	uint64_t id;
	const pa_key *key; /* NULL for any method with the id */
	pa_text name, loader;
	uint64_t at;
	record *found;
} sought;

typedef bool comparing(const pa_archive *a, uint64_t at, const sought *s, int *order, pa_error *e);

/* search looks among the rows with the id. *at is 0 if there is none. */
static bool search(const pa_archive *a, const sought *s, bool types, comparing *compare, uint64_t *at, pa_error *e) {
	const pa_table *t = table_of(a, e);
	uint32_t low, high;
	*at = 0;
	if (t == NULL || t->rows == 0) return t != NULL;
	if (!first_of(t, s->id, types, &low, e)) return false;
	if (!types && !first_of(t, s->id, true, &high, e)) return false;
	if (types && s->id == UINT64_MAX) high = t->rows;
	else if (types && !first_of(t, s->id + 1, false, &high, e)) return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint64_t to, other;
		int order;
		if (!cell(t, types ? TYPE_COLUMN : METHOD, middle, &to, e)) return false;
		if (!cell(t, types ? METHOD : TYPE_COLUMN, middle, &other, e)) return false;
		if (other != 0) return pai_damage(a, e, t->_columns[ID] + 8 * (uint64_t)middle, "a row of two crowded records");
		if (!compare(a, place_of((pa_ref)to), s, &order, e)) return false;
		if (order == 0) *at = place_of((pa_ref)to);
		if (order == 0) return true;
		if (order < 0) low = middle + 1;
		else high = middle;
	}
	return true;
}

/* ---- methods ---- */

static bool compare_method(const pa_archive *a, uint64_t at, const sought *s, int *order, pa_error *e) {
	uint64_t id;
	*order = 0;
	if (!pai_record(a, at, s->found, e) || !pai_id(a, s->found, &id, e)) return false;
	if (id != s->id) return pai_damage(a, e, at, "the table of crowded records has the method with another id");
	return s->key == NULL || pai_compare_key(a, s->found, s->key, order, e);
}

bool pai_find_crowded(const pa_archive *a, uint64_t id, const pa_key *key, record *r, pa_error *e) {
	uint64_t at;
	if (!search(a, &(sought){.id = id, .key = key, .found = r}, false, compare_method, &at, e)) return false;
	return at != 0 || pai_fail(e, PA_NOT_FOUND, "the archive does not know the method");
}

static bool compare_offset(const pa_archive *a, uint64_t at, const sought *s, int *order, pa_error *e) {
	(void)a;
	(void)e;
	*order = at < s->at ? -1 : at > s->at;
	return true;
}

bool pai_has_crowded(const pa_archive *a, uint64_t id, uint64_t at, bool *has, pa_error *e) {
	uint64_t found;
	if (!search(a, &(sought){.id = id, .at = at}, false, compare_offset, &found, e)) return false;
	*has = found != 0;
	return true;
}

/* ---- types ---- */

static bool compare_type(const pa_archive *a, uint64_t at, const sought *s, int *order, pa_error *e) {
	pa_type type;
	if (!pai_type(a, at, &type, e)) return false;
	if (type.id != s->id) return pai_damage(a, e, at, "the table of crowded records has the type with another id");
	*order = pai_compare_texts(type.name, s->name);
	if (*order == 0) *order = pai_compare_texts(type.loader, s->loader);
	return true;
}

bool pai_find_crowded_type(
	const pa_archive *a, uint64_t id, pa_text name, pa_text loader, uint64_t *at, pa_error *e) {
	return search(a, &(sought){.id = id, .name = name, .loader = loader}, true, compare_type, at, e) &&
		(*at != 0 || pai_fail(e, PA_NOT_FOUND, "the archive does not know the type"));
}
