/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that a producer declares, entries with these shapes, and the table of shapes in an archive. */
#include "build.h"

enum { SHAPE_ENTRY, SHAPE_CELL, SHAPE_ROW, SHAPE_CELL_BIT, SHAPE_ROW_BIT };
enum { NAME = 32 };

/* ---- declaring ---- */

void pai_drop_shapes(pa_builder *b) {
	pai_shapes_free(b->shape.shapes);
	b->shape.shapes = NULL;
}

/* find returns the first row of a tag and its number of rows. If the tag has none, it returns the row after the rows of
 * lower tags. */
static uint32_t find(const shapes *s, uint32_t n, uint64_t tag, uint32_t *rows) {
	uint32_t first = 0;
	while (first < n && s->heads[first] >> 32 < tag) first++;
	for (*rows = 0; first + *rows < n && s->heads[first + *rows] >> 32 == tag; ++*rows) {}
	return first;
}

/* with_rows returns a copy of the builder's shapes with n rows inserted at a row number. */
static shapes *with_rows(pa_builder *b, uint32_t at, const uint64_t *heads, uint8_t (*names)[NAME], uint32_t n) {
	const shapes *old = b->shape.shapes;
	uint32_t all = b->shape_rows + n, rest = b->shape_rows - at;
	shapes *s = calloc(1, sizeof *s);
	uint64_t *to = calloc(all, sizeof *to);
	uint8_t (*to_names)[NAME] = calloc(all, sizeof *to_names);
	if (s == NULL || to == NULL || to_names == NULL) {
		free(s);
		free(to);
		free(to_names);
		pai_no_memory(b);
		return NULL;
	}
	s->heads = to;
	s->names = to_names;
	if (at > 0) {
		memcpy(to, old->heads, at * sizeof *to);
		memcpy(to_names, old->names, at * sizeof *to_names);
	}
	if (rest > 0) {
		memcpy(to + at + n, old->heads + at, rest * sizeof *to);
		memcpy(to_names + at + n, old->names + at, rest * sizeof *to_names);
	}
	memcpy(to + at, heads, n * sizeof *to);
	memcpy(to_names + at, names, n * sizeof *to_names);
	return s;
}

bool pai_declare(pa_builder *b, const uint64_t *heads, uint8_t (*names)[NAME], uint32_t n) {
	const shapes *old = b->shape.shapes;
	uint32_t rows, wrong_row, at = find(old, b->shape_rows, heads[0] >> 32, &rows);
	if (rows > 0) {
		bool same = rows == n && memcmp(old->heads + at, heads, n * sizeof *heads) == 0 &&
			memcmp(old->names + at, names, n * sizeof *names) == 0;
		return same || pai_refuse(b, PA_MISMATCH, "a tag has another shape already");
	}
	shapes *s = with_rows(b, at, heads, names, n);
	if (s == NULL) return false;
	const char *wrong = pai_check_shapes(s, b->shape_rows + n, &wrong_row);
	if (wrong != NULL) {
		pai_shapes_free(s);
		return pai_refuse(b, PA_ARGUMENT, wrong);
	}
	pai_drop_shapes(b);
	b->shape.shapes = s;
	b->shape_rows += n;
	return true;
}

/* Rows of the table under construction. */
typedef struct rows { pa_builder *b; uint64_t tag; buffer heads, names; } rows;

static bool add_row(rows *r, uint64_t part, uint64_t cell, uint64_t bit, uint64_t kind, pa_text name) {
	uint64_t head = r->tag << 32 | part << 24 | cell << 16 | bit << 8 | kind;
	uint8_t padded[NAME] = {0};
	if (name.size == 0 || name.size > NAME || memchr(name.bytes, 0, name.size) != NULL)
		return pai_refuse(r->b, PA_ARGUMENT, "a name in a shape has 1 to 32 letters, digits, - and _");
	memcpy(padded, name.bytes, name.size);
	return pai_append(r->b, &r->heads, &head, sizeof head) && pai_append(r->b, &r->names, padded, NAME);
}

static bool add_cells(rows *r, uint64_t part, const pa_new_cell *cells, uint32_t n) {
	for (uint32_t i = 0; i < n; i++)
		if (!add_row(r, part, i, 0, cells[i].kind, cells[i].name)) return false;
	return true;
}

static bool add_bits(rows *r, uint64_t part, const pa_new_cell *cells, uint32_t n) {
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t bit = 0; bit < cells[i].bits; bit++)
			if (cells[i].bit_names[bit].size > 0 && !add_row(r, part, i, bit, 0, cells[i].bit_names[bit])) return false;
	return true;
}

static bool fits(const pa_new_cell *cells, uint32_t n) {
	for (uint32_t i = 0; i < n; i++)
		if (cells[i].bits > 64 || (cells[i].bits > 0 && cells[i].kind != PA_CELL_BITS)) return false;
	return n <= 32;
}

static bool are_given(const pa_new_cell *cells, uint32_t n) {
	bool given = cells != NULL || n == 0;
	for (uint32_t i = 0; given && i < n; i++) {
		given = given_text(cells[i].name) && (cells[i].bit_names != NULL || cells[i].bits == 0);
		for (uint32_t k = 0; given && k < cells[i].bits; k++) given = given_text(cells[i].bit_names[k]);
	}
	return given;
}

bool pai_is_given(const pa_new_shape *s) {
	return s != NULL && given_text(s->name) && are_given(s->cells, s->n) && are_given(s->row, s->row_cells);
}

void pa_declare_shape(pa_builder *b, const pa_new_shape *s) {
	if (!pai_take(b, pai_is_given(s))) return;
	rows r = {.b = b, .tag = s->tag};
	if (b->config.domain != PA_CUSTOM)
		pai_refuse(b, PA_ARGUMENT, "only archives of PA_CUSTOM have entries of a producer's own");
	else if (!fits(s->cells, s->n) || !fits(s->row, s->row_cells))
		pai_refuse(b, PA_ARGUMENT, "a shape with too many cells, or names of bits that there are not");
	else if (add_row(&r, SHAPE_ENTRY, 0, 0, s->unit, s->name) && add_cells(&r, SHAPE_CELL, s->cells, s->n) &&
		add_cells(&r, SHAPE_ROW, s->row, s->row_cells) && add_bits(&r, SHAPE_CELL_BIT, s->cells, s->n) &&
		add_bits(&r, SHAPE_ROW_BIT, s->row, s->row_cells))
		pai_declare(b, (const void *)r.heads.bytes, (void *)r.names.bytes, (uint32_t)COUNT(uint64_t, r.heads));
	pai_empty(&r.heads);
	pai_empty(&r.names);
}

/* ---- the table ---- */

bool pai_list_shapes(pa_builder *b) {
	static const uint8_t columns[] = {1, 1, 1, 1, 1};
	const shapes *s = b->shape.shapes;
	new_table *t = pai_table(b, PA_TABLE_SHAPES), fresh = {.kind = PA_TABLE_SHAPES, .columns = sizeof columns};
	if (s == NULL) return true;
	memcpy(fresh.kinds, columns, sizeof columns);
	if (t == NULL && !pai_append(b, &b->tables, &fresh, sizeof fresh)) return false;
	t = pai_table(b, PA_TABLE_SHAPES);
	t->cells.size = 0;
	for (uint32_t i = 0; i < b->shape_rows; i++) {
		uint8_t head[8];
		put64(head, s->heads[i]);
		if (!pai_append(b, &t->cells, head, sizeof head) || !pai_append(b, &t->cells, s->names[i], NAME)) {
			t->cells.size = 0;
			return false;
		}
	}
	return true;
}

/* ---- entries ---- */

static uint64_t unite_cells(uint8_t kind, uint64_t x, uint64_t y) {
	switch (kind) {
	case PA_CELL_COUNT: return x > UINT64_MAX - y ? UINT64_MAX : x + y;
	case PA_CELL_MAX: return x > y ? x : y;
	case PA_CELL_BITS: return x | y;
	case PA_CELL_MIN: return x == 0 || (y != 0 && y < x) ? y : x;
	case PA_CELL_LAST: return y != 0 ? y : x;
	default: return x != 0 ? x : y; /* PA_CELL_FIRST */
	}
}

static bool is_key(uint8_t kind) { return kind >= PA_CELL_VALUE && kind <= PA_CELL_METHOD; }

/* The rows of an entry, with width cells each. Row i, from 1 on, is reference i. */
typedef struct row_list { uint8_t *cells; const uint8_t *kinds; uint32_t width, looking; } row_list;

static uint8_t *cell_of(const row_list *l, uint32_t row, uint32_t i) {
	return l->cells + 8 * ((uint64_t)(row - 1) * l->width + i);
}

static bool same_keys(const void *with, uint32_t row) {
	const row_list *l = with;
	for (uint32_t i = 0; i < l->width; i++)
		if (is_key(l->kinds[i]) && get64(cell_of(l, row, i)) != get64(cell_of(l, l->looking, i))) return false;
	return true;
}

/* hash_row hashes the keys of a row. It returns false if the row is free. */
static bool hash_row(const row_list *l, uint32_t row, uint32_t *hash) {
	bool taken = false;
	*hash = 0;
	for (uint32_t i = 0; i < l->width; i++) {
		uint64_t v = get64(cell_of(l, row, i));
		taken = taken || v != 0;
		if (is_key(l->kinds[i])) *hash = pai_mix(pai_mix(*hash, v), v >> 32);
	}
	return taken;
}

static void move_row(const row_list *l, uint32_t first, uint32_t row) {
	for (uint32_t i = 0; i < l->width; i++) {
		uint8_t *to = cell_of(l, first, i), *from = cell_of(l, row, i);
		if (!is_key(l->kinds[i])) put64(to, unite_cells(l->kinds[i], get64(to), get64(from)));
		put64(from, 0);
	}
}

bool pai_unite_rows(pa_builder *b, uint8_t *cells, uint8_t tag, uint32_t n) {
	const shape *s = pai_shape(&b->shape, tag);
	row_list l = {cells + 8 * (uint64_t)s->cells, s->kinds + s->cells, s->row_cells, 0};
	ref_index firsts = {0};
	bool keyed = false;
	for (uint32_t i = 0; i < l.width; i++) keyed = keyed || is_key(l.kinds[i]);
	for (uint32_t row = 1; keyed && row <= n; row++) {
		uint32_t hash, first;
		if (!hash_row(&l, row, &hash)) continue;
		l.looking = row;
		if ((first = pai_find(&firsts, hash, same_keys, &l)) != 0) move_row(&l, first, row);
		else if (!pai_insert(b, &firsts, hash, row)) break;
	}
	free(firsts.slots);
	return sound(b);
}

static uint64_t cell_value(pa_builder *b, uint8_t kind, uint64_t v) {
	if (kind != PA_CELL_TYPE && kind != PA_CELL_METHOD) return v;
	if (v > UINT32_MAX) {
		pai_refuse(b, PA_ARGUMENT, "a cell refers to something that is not of this builder");
		return 0;
	}
	return kind == PA_CELL_TYPE ? pai_type_cell(b, (uint32_t)v) : pai_method_cell(b, (uint32_t)v);
}

void pa_record_custom(pa_builder *b, const pa_custom *c, const uint64_t *rows, uint32_t n) {
	if (!pai_take(b, c != NULL && (c->cells != NULL || c->n == 0) && (rows != NULL || n == 0))) return;
	const shape *s = pai_shape(&b->shape, c->tag);
	if (s == NULL || c->n != s->cells || (n > 0 && s->row_cells == 0)) {
		pai_refuse(b, PA_ARGUMENT,
			s == NULL ? "an entry of a tag that pa_declare_shape has not declared"
					  : "an entry with another number of cells than its shape, or with rows that it does not have");
		return;
	}
	uint8_t *cells = pai_put_wide(b, c->tag, c->flags, c->sub, c->point, s->cells + (uint64_t)n * s->row_cells, n);
	if (cells == NULL) return;
	for (uint32_t i = 0; i < c->n; i++) put64(cells + 8 * (uint64_t)i, cell_value(b, s->kinds[i], c->cells[i]));
	uint8_t *row = cells + 8 * (uint64_t)s->cells;
	for (uint64_t i = 0; i < (uint64_t)n * s->row_cells; i++)
		put64(row + 8 * i, cell_value(b, s->kinds[s->cells + i % s->row_cells], rows[i]));
	pai_unite_rows(b, cells, c->tag, n);
}
