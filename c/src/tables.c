/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of data that belongs to no method. */
#include "internal.h"

enum { MAX_TABLES = 1024 };

const char *pai_columns_of(uint32_t kind) {
	static const char *const columns[] = {"", "", "22", "1111", "31", "1411", "2", "111", "211", "11", "311111",
		"3111112", "11111111", "3", "22", "42", "1111111111111222222", "112111", "2111", "11111", "41111111", "611",
		"4221", "11112", "", "", "5111", "", "", "", "22121121", "2221112", "411",
		"5111", "51", "143"};
	return kind < sizeof columns / sizeof *columns ? columns[kind] : "";
}

static uint64_t width_of(uint8_t column) { return column == PA_COLUMN_WORD ? 8 : 4; }

static const char *parse(const pa_archive *a, span s, pa_table *t) {
	const uint8_t *p = a->bytes + s.at;
	if (s.size < 16) return "a table is cut off";
	*t = (pa_table){
		.archive = a, .kind = get32(p), .flags = get32(p + 4), .columns = get32(p + 8), .rows = get32(p + 12)};
	const char *begins = pai_columns_of(t->kind);
	if (t->columns < 1 || t->columns > PA_MAX_COLUMNS || t->columns < strlen(begins))
		return "a table with an impossible number of columns";
	uint64_t at = 16 + round_up(t->columns, 8);
	if (at > s.size) return "a table is cut off";
	if (begins[0] != 0 && t->flags != 0) return "a table with unknown flags";
	if (t->kind == PA_TABLE_ORDER && t->flags > 1) return "a table with unknown flags";
	for (uint32_t i = 0; i < t->columns; i++) {
		uint8_t kind = t->column_kinds[i] = p[16 + i];
		if (kind < PA_COLUMN_WORD || kind > PA_COLUMN_CONTEXT) return "a column of an unknown kind";
		if (i < strlen(begins) && kind != begins[i] - '0') return "a column that tables of this kind do not have here";
		t->_columns[i] = s.at + at;
		at += round_up(t->rows * width_of(kind), 8);
	}
	return at == s.size ? NULL : "the columns do not fill their table";
}

/* directory finds the i-th table, or the table of a kind, and validates the directory up to the table's end. s->size is
 * 0 if there is no such table. */
static bool directory(const pa_archive *a, bool by_kind, uint32_t wanted, span *s, uint32_t *kind, pa_error *e) {
	span ex = a->region[PA_EX];
	uint64_t n, end;
	uint32_t last = 0;
	*s = (span){0, 0};
	*kind = 0;
	if (ex.size == 0) return true;
	if (!pai_touch(a, ex.at, 8, e)) return false;
	n = get32(a->bytes + ex.at);
	end = ex.at + 8 + 24 * n;
	if (n > MAX_TABLES || 8 + 24 * n > ex.size)
		return pai_damage(a, e, ex.at, "the directory of the tables does not fit");
	if (!pai_touch(a, ex.at, 8 + 24 * n, e)) return false;
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *row = a->bytes + ex.at + 8 + 24 * i;
		span t = {get64(row + 8), get64(row + 16)};
		if (get32(row) <= last || t.at != end || t.size == 0 || t.size % 8 != 0 || !inside(ex, t.at, t.size))
			return pai_damage(a, e, ex.at + 8 + 24 * i, "a table does not lie at its place");
		last = get32(row);
		end = end_of(t);
		if (by_kind ? last == wanted : i == wanted) {
			*s = t;
			*kind = last;
		}
	}
	return end == end_of(ex) || pai_damage(a, e, ex.at, "the tables do not fill ex");
}

/* head reads a table without its cells. s is its place, whose size is 0 if there is none. */
static bool head(const pa_archive *a, bool by_kind, uint32_t wanted, pa_table *t, span *s, pa_error *e) {
	uint32_t kind;
	*t = (pa_table){.archive = a};
	if (!directory(a, by_kind, wanted, s, &kind, e)) return false;
	if (s->size == 0) return true;
	uint64_t most = 16 + PA_MAX_COLUMNS;
	if (!pai_touch(a, s->at, s->size < most ? s->size : most, e)) return false;
	const char *wrong = parse(a, *s, t);
	if (wrong != NULL) return pai_damage(a, e, s->at, wrong);
	return t->kind == kind || pai_damage(a, e, s->at, "a table is not of the kind that the directory says");
}

bool pai_head_of_table(const pa_archive *a, uint32_t kind, pa_table *t, pa_error *e) {
	span s;
	return head(a, true, kind, t, &s, e);
}

static pa_error get(const pa_archive *a, bool by_kind, uint32_t wanted, pa_table *table) {
	pa_error e = pai_none();
	pa_table t;
	span s;
	if (!pai_given(a != NULL && table != NULL, &e) || !head(a, by_kind, wanted, &t, &s, &e)) return e;
	if (s.size == 0) pai_fail(&e, PA_NOT_FOUND, "the archive does not have this table");
	else if (pai_touch(a, s.at, s.size, &e)) *table = t;
	return e;
}

pa_error pa_table_get(const pa_archive *a, uint32_t kind, pa_table *table) { return get(a, true, kind, table); }

pa_error pa_table_number(const pa_archive *a, uint32_t i, pa_table *table) { return get(a, false, i, table); }

uint64_t pa_table_cell(const pa_table *t, uint32_t column, uint32_t row) {
	if (t == NULL || t->archive == NULL || column >= t->columns || column >= PA_MAX_COLUMNS || row >= t->rows) return 0;
	const uint8_t *p = t->archive->bytes + t->_columns[column];
	return t->column_kinds[column] == PA_COLUMN_WORD ? get64(p + 8 * (uint64_t)row) : get32(p + 4 * (uint64_t)row);
}
