/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a builder. */
#include "build.h"

/* ---- making ---- */

new_table *pai_table(pa_builder *b, uint32_t kind) {
	for (uint32_t i = 1; i <= COUNT(new_table, b->tables); i++)
		if (ITEM(new_table, b->tables, i)->kind == kind) return ITEM(new_table, b->tables, i);
	return NULL;
}

void pai_drop_table(pa_builder *b, uint32_t kind) {
	new_table *t = pai_table(b, kind);
	if (t == NULL) return;
	pai_empty(&t->cells);
	const new_table *end = (const void *)(b->tables.bytes + b->tables.size);
	memmove(t, t + 1, (size_t)((const uint8_t *)end - (const uint8_t *)(t + 1)));
	b->tables.size -= sizeof *t;
}

static bool possible(pa_builder *b, uint32_t kind, const uint8_t *columns, uint32_t n) {
	const char *begins = pai_columns_of(kind);
	if (kind == 0 || n < 1 || n > PA_MAX_COLUMNS)
		return pai_refuse(b, PA_ARGUMENT, "a table of kind 0, or of no or more than 64 columns");
	for (uint32_t i = 0; i < n; i++)
		if (columns[i] < PA_COLUMN_WORD || columns[i] > PA_COLUMN_CONTEXT)
			return pai_refuse(b, PA_ARGUMENT, "a column of an unknown kind");
	for (uint32_t i = 0; begins[i] != 0; i++)
		if (i >= n || columns[i] != begins[i] - '0')
			return pai_refuse(b, PA_ARGUMENT, "a table does not begin with the columns of its kind");
	if (kind == PA_TABLE_SHAPES)
		return pai_refuse(b, PA_ARGUMENT, "the table of shapes is the builder's own: see pa_declare_shape");
	if (kind == PA_TABLE_CROWDED)
		return pai_refuse(b, PA_ARGUMENT, "the builder makes the table of crowded records itself: leave it out");
	if (kind >= PA_TABLE_PRODUCER && b->config.domain != PA_CUSTOM)
		return pai_refuse(b, PA_ARGUMENT, "a producer's table in an archive of another domain than PA_CUSTOM");
	return COUNT(new_table, b->tables) < MAX_TABLES || pai_refuse(b, PA_TOO_LARGE, "more than 1024 tables");
}

void pa_declare_table(pa_builder *b, uint32_t kind, uint32_t flags, const uint8_t *columns, uint32_t n) {
	if (!pai_take(b, columns != NULL || n == 0)) return;
	new_table *t = pai_table(b, kind), fresh = {.kind = kind, .flags = flags, .columns = n};
	if (t != NULL) {
		if (t->flags != flags || t->columns != n || memcmp(t->kinds, columns, n) != 0)
			pai_refuse(b, PA_MISMATCH, "the table has other columns or flags");
		return;
	}
	if (!possible(b, kind, columns, n)) return;
	memcpy(fresh.kinds, columns, n);
	pai_append(b, &b->tables, &fresh, sizeof fresh);
}

/* ---- rows ---- */

static bool holds(const pa_builder *b, uint8_t column, uint64_t cell) {
	switch (column) {
	case PA_COLUMN_WORD: return true;
	case PA_COLUMN_SYMBOL: return cell <= COUNT(symbol, b->symbols);
	case PA_COLUMN_TYPE: return cell <= COUNT(new_type, b->types);
	case PA_COLUMN_METHOD: return cell <= COUNT(new_method, b->methods);
	case PA_COLUMN_PROFILE: return cell <= COUNT(new_profile, b->profiles);
	default: return cell <= COUNT(new_context, b->contexts);
	}
}

static bool is_grouped(uint32_t kind) { return kind == PA_TABLE_SAMPLES || kind == PA_TABLE_TRACES; }

/* next_group returns the number after the last group of a table. */
static uint64_t next_group(const new_table *t) {
	size_t row = 8 * (size_t)t->columns;
	return t->cells.size < row ? 0 : get64(t->cells.bytes + t->cells.size - row) + 1;
}

static bool append(pa_builder *b, new_table *t, const uint64_t *cells, uint64_t base) {
	uint8_t bytes[8 * PA_MAX_COLUMNS];
	if (t->cells.size / 8 / t->columns == UINT32_MAX)
		return pai_refuse(b, PA_TOO_LARGE, "more rows than a table can have");
	for (uint32_t i = 0; i < t->columns; i++) put64(bytes + 8 * i, cells[i] + (i == 0 ? base : 0));
	return pai_append(b, &t->cells, bytes, 8 * (size_t)t->columns);
}

/* Recorded groups keep their numbers, offset so that they do not collide with copied groups. */
void pa_record_row(pa_builder *b, uint32_t kind, const uint64_t *cells, uint32_t n) {
	if (!pai_take(b, cells != NULL || n == 0)) return;
	new_table *t = pai_table(b, kind);
	if (t == NULL || t->columns != n) {
		pai_refuse(b, PA_ARGUMENT, "a row of a table that was not made, or that has another number of columns");
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!holds(b, t->kinds[i], cells[i])) {
			pai_refuse(b, PA_ARGUMENT, "a row refers to something that is not of this builder");
			return;
		}
	if (is_grouped(kind) && !t->counted) {
		t->counted = true;
		t->base = next_group(t);
	}
	append(b, t, cells, t->base);
}

/* pai_add_cells adds the rows of a copied table. */
bool pai_add_cells(pa_builder *b, new_table *t, const uint64_t *cells, uint64_t n) {
	uint64_t base = is_grouped(t->kind) ? next_group(t) : 0;
	for (uint64_t i = 0; i + t->columns <= n; i += t->columns)
		if (!append(b, t, cells + i, base)) return false;
	return true;
}

/* ---- sets of rows ---- */

/* A set is a table in which the order of rows has no meaning. rules has a letter for each column. '=' marks a key, '+'
 * a count to add, '<' the lowest nonzero number, and '>' the highest number. Further columns are keys. */
typedef struct set {
	const pa_builder *b;
	const uint8_t *cells;
	size_t row;
	uint32_t columns;
	const uint8_t *kinds;
	const char *rules;
} set;

static const char *rules_of(uint32_t kind) {
	return kind == PA_TABLE_CODE || kind == PA_TABLE_BASE ? ""
		: kind == PA_TABLE_COMPILATIONS                   ? "====<>++"
		: kind == PA_TABLE_INLINING                       ? "==+"
		: kind == PA_TABLE_FUNCTIONS                      ? "===>"
		: kind == PA_TABLE_CERTAIN                        ? "===+"
		: kind == PA_TABLE_MOVED                          ? "====<"
		: kind == PA_TABLE_VERSIONS                       ? "==>"
		: kind == PA_TABLE_OBJECTS                        ? "====++<"
		: kind == PA_TABLE_ADVICE                         ? "=<++"
														  : NULL;
}

static char rule_of(const set *s, uint32_t column) { return column < strlen(s->rules) ? s->rules[column] : '='; }

static int compare_types(const pa_builder *b, uint32_t x, uint32_t y) {
	if (x == 0 || y == 0) return compare_numbers(x, y);
	const new_type *s = ITEM(new_type, b->types, x), *t = ITEM(new_type, b->types, y);
	int c = pai_compare_texts(pai_text(b, s->name), pai_text(b, t->name));
	return c != 0 ? c : pai_compare_texts(pai_text(b, s->loader), pai_text(b, t->loader));
}

static int compare_methods(const pa_builder *b, uint32_t x, uint32_t y) {
	if (x == y || x == 0 || y == 0) return compare_numbers(x, y);
	const new_method *m = ITEM(new_method, b->methods, x), *n = ITEM(new_method, b->methods, y);
	int c = compare_types(b, m->holder, n->holder);
	if (c == 0) c = pai_compare_texts(pai_text(b, m->name), pai_text(b, n->name));
	return c != 0 ? c : pai_compare_texts(pai_text(b, m->signature), pai_text(b, n->signature));
}

static int compare_points(int32_t x, int32_t y) { return x < y ? -1 : x > y; }

/* compare_contexts orders contexts by depth, method, and the first frame that differs. */
static int compare_contexts(const pa_builder *b, uint32_t x, uint32_t y) {
	if (x == y || x == 0 || y == 0) return compare_numbers(x, y);
	const new_context *c = ITEM(new_context, b->contexts, x), *d = ITEM(new_context, b->contexts, y);
	int order = compare_numbers(c->depth, d->depth);
	if (order == 0) order = compare_methods(b, c->method, d->method);
	if (order != 0) return order;
	while (c->parent != d->parent) {
		c = ITEM(new_context, b->contexts, c->parent);
		d = ITEM(new_context, b->contexts, d->parent);
	}
	order = compare_methods(b, c->caller, d->caller);
	return order != 0 ? order : compare_points(c->point, d->point);
}

int pai_compare_profiles(const pa_builder *b, uint32_t x, uint32_t y) {
	if (x == y || x == 0 || y == 0) return compare_numbers(x, y);
	const new_profile *p = ITEM(new_profile, b->profiles, x), *q = ITEM(new_profile, b->profiles, y);
	int c = compare_methods(b, p->method, q->method);
	if (c == 0) c = compare_contexts(b, p->context, q->context);
	return c != 0 ? c : compare_numbers(p->code, q->code);
}

static int compare_cells(const pa_builder *b, uint8_t kind, uint64_t x, uint64_t y) {
	int c = 0;
	if (x == y) return 0;
	if (kind == PA_COLUMN_CONTEXT) return compare_contexts(b, (uint32_t)x, (uint32_t)y);
	if (kind == PA_COLUMN_PROFILE) return pai_compare_profiles(b, (uint32_t)x, (uint32_t)y);
	if (kind == PA_COLUMN_METHOD) return compare_methods(b, (uint32_t)x, (uint32_t)y);
	if (kind == PA_COLUMN_TYPE) return compare_types(b, (uint32_t)x, (uint32_t)y);
	if (kind == PA_COLUMN_SYMBOL) c = pai_compare_texts(pai_text(b, (uint32_t)x), pai_text(b, (uint32_t)y));
	return c != 0 ? c : compare_numbers(x, y);
}

static int order(const void *with, uint32_t x, uint32_t y) {
	const set *s = with;
	for (uint32_t i = 0; i < s->columns; i++) {
		if (rule_of(s, i) != '=') continue;
		int c = compare_cells(
			s->b, s->kinds[i], get64(s->cells + x * s->row + 8 * i), get64(s->cells + y * s->row + 8 * i));
		if (c != 0) return c;
	}
	return 0;
}

static uint64_t united(char rule, uint64_t x, uint64_t y) {
	switch (rule) {
	case '+': return x + y < x ? UINT64_MAX : x + y;
	case '<': return x == 0 || (y != 0 && y < x) ? y : x;
	case '>': return x > y ? x : y;
	default: return x;
	}
}

/* add_row appends a row, or combines it with the last one. */
static void add_row(const set *s, buffer *sorted, const uint8_t *row, bool again) {
	if (!again) {
		memcpy(sorted->bytes + sorted->size, row, s->row);
		sorted->size += s->row; /* the capacity is sufficient */
		return;
	}
	uint8_t *last = sorted->bytes + sorted->size - s->row;
	for (uint32_t i = 0; i < s->columns; i++)
		put64(last + 8 * i, united(rule_of(s, i), get64(last + 8 * i), get64(row + 8 * i)));
}

static bool sort_set(pa_builder *b, new_table *t) {
	size_t row = 8 * (size_t)t->columns, n = t->cells.size / row;
	set s = {b, t->cells.bytes, row, t->columns, t->kinds, rules_of(t->kind)};
	uint32_t *refs = malloc(2 * n * sizeof *refs);
	buffer sorted = {0};
	if (refs == NULL || pai_extend(b, &sorted, t->cells.size) == NULL) {
		free(refs);
		return pai_no_memory(b);
	}
	for (size_t i = 0; i < n; i++) refs[i] = (uint32_t)i;
	pai_sort(refs, refs + n, n, order, &s);
	sorted.size = 0;
	for (size_t i = 0; i < n; i++)
		add_row(&s, &sorted, s.cells + refs[i] * row, i > 0 && order(&s, refs[i - 1], refs[i]) == 0);
	free(refs);
	pai_empty(&t->cells);
	t->cells = sorted;
	return true;
}

/* pai_sort_sets sorts the rows of sets, and combines rows with equal keys. */
bool pai_sort_sets(pa_builder *b) {
	for (uint32_t i = 1; i <= COUNT(new_table, b->tables); i++) {
		new_table *t = ITEM(new_table, b->tables, i);
		if (rules_of(t->kind) != NULL && t->cells.size > 0 && !sort_set(b, t)) return false;
	}
	return true;
}
