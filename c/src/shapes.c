/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that a producer declares for its tags, in the table PA_TABLE_SHAPES (docs/format.md). */
#include <stdlib.h>

#include "internal.h"

enum { SHAPE_ENTRY, SHAPE_CELL, SHAPE_ROW, SHAPE_CELL_BIT, SHAPE_ROW_BIT };
enum { MAX_SHAPE_CELLS = 32, MAX_SHAPE_ROW = 8, MAX_SHAPE_BITS = 64, UNITS = 7, SHAPE_COLUMNS = 5 };

/* A head identifies what a row of the table describes. */
typedef struct head { uint64_t tag; unsigned part, cell, bit, kind; } head;

static head head_of(uint64_t word) {
	return (head){word >> 32, word >> 24 & 255, word >> 16 & 255, word >> 8 & 255, word & 255};
}

static pa_text name_at(const shapes *s, uint32_t row) {
	pa_text name = {(const char *)s->names[row], sizeof s->names[row]};
	while (name.size > 0 && name.bytes[name.size - 1] == 0) name.size--;
	return name;
}

static bool is_name(pa_text name, bool capital) {
	for (size_t i = 0; i < name.size; i++) {
		char c = name.bytes[i];
		bool small = c >= 'a' && c <= 'z', large = c >= 'A' && c <= 'Z',
			 other = (c >= '0' && c <= '9') || c == '-' || c == '_';
		if (i == 0 ? (capital ? !large : !small) : (!small && !other && !(large && capital))) return false;
	}
	return name.size > 0;
}

static bool is_one_of(pa_text name, const char *const *list) {
	for (; *list != NULL; list++)
		if (same_text(name, pa_text_of(*list))) return true;
	return false;
}

/* unique reports whether the name of a row differs from the names of earlier rows, from first on, that describe the
 * same part. For names of bits they must also describe the same cell. */
static bool unique(const shapes *s, uint32_t first, uint32_t row) {
	head h = head_of(s->heads[row]);
	for (uint32_t i = first; i < row; i++) {
		head other = head_of(s->heads[i]);
		if (other.part == h.part && (h.part < SHAPE_CELL_BIT || other.cell == h.cell) &&
			same_text(name_at(s, i), name_at(s, row)))
			return false;
	}
	return true;
}

static const char *begin_shape(shapes *s, head h, uint32_t row) {
	static const char *const taken[] = {"Bit", "Counter", "Jump", "ReceiverType", "VirtualCall", "Ret", "Branch",
		"MultiBranch", "ArgInfo", "CallType", "VirtualCallType", "ParametersType", "SpeculativeTrap", "Counters",
		"ValueSite", "Bitmap", "Successors", "Receivers", "Callees", "Count", NULL};
	if (h.tag < PA_PRODUCER || h.tag > 255) return "the shape of a tag that is no producer's";
	if (h.part != SHAPE_ENTRY || h.cell != 0 || h.bit != 0 || h.kind >= UNITS)
		return "a shape does not begin with its name and unit";
	if (!is_name(name_at(s, row), true) || is_one_of(name_at(s, row), taken) || !unique(s, 0, row))
		return "a shape without a name of its own";
	s->of[h.tag - PA_PRODUCER] = (shape){.declared = true, .unit = (uint8_t)h.kind, .first = row};
	return NULL;
}

static const char *add_shape_cell(shapes *s, shape *to, head h, uint32_t row) {
	static const char *const taken[] = {"tag", "point", "flags", "traps", "sub", "rows", NULL};
	bool of_row = h.part == SHAPE_ROW;
	unsigned n = of_row ? to->row_cells : to->cells;
	if (h.cell != n || n >= (of_row ? MAX_SHAPE_ROW : MAX_SHAPE_CELLS) || h.bit != 0)
		return "a shape with too many cells, or cells without an order";
	if (h.kind < PA_CELL_COUNT || h.kind > PA_CELL_LAST) return "a cell of a kind that no producer can declare";
	if (!is_name(name_at(s, row), false) || (!of_row && is_one_of(name_at(s, row), taken)) ||
		!unique(s, to->first, row))
		return "a cell without a name of its own";
	to->kinds[to->cells + to->row_cells] = (uint8_t)h.kind;
	if (of_row) to->row_cells++;
	else to->cells++;
	return NULL;
}

static const char *name_bit(shapes *s, shape *to, head h, uint32_t row) {
	bool of_row = h.part == SHAPE_ROW_BIT;
	if (h.cell >= (of_row ? to->row_cells : to->cells) || h.bit >= MAX_SHAPE_BITS || h.kind != 0)
		return "the name of a bit of no cell";
	if (to->kinds[h.cell + (of_row ? to->cells : 0)] != PA_CELL_BITS)
		return "the name of a bit of a cell that has none";
	return is_name(name_at(s, row), false) && unique(s, to->first, row) ? NULL : "a bit without a name of its own";
}

static const char *add_shape_row(shapes *s, uint32_t row) {
	head h = head_of(s->heads[row]);
	if (row > 0 && s->heads[row] <= s->heads[row - 1]) return "shapes that are not sorted";
	if (row == 0 || h.tag != head_of(s->heads[row - 1]).tag) return begin_shape(s, h, row);
	shape *to = &s->of[h.tag - PA_PRODUCER];
	to->rows = row - to->first + 1;
	switch (h.part) {
	case SHAPE_CELL: case SHAPE_ROW: return add_shape_cell(s, to, h, row);
	case SHAPE_CELL_BIT: case SHAPE_ROW_BIT: return name_bit(s, to, h, row);
	default: return "a row that describes nothing of a shape";
	}
}

const char *pai_check_shapes(shapes *s, uint32_t rows, uint32_t *row) {
	const char *wrong = NULL;
	for (*row = 0; *row < rows && (wrong = add_shape_row(s, *row)) == NULL; ++*row) {}
	return wrong;
}

static bool copy_rows(shapes *s, const pa_table *t, pa_error *e) {
	s->heads = calloc((size_t)t->rows + 1, sizeof *s->heads);
	s->names = calloc((size_t)t->rows + 1, sizeof *s->names);
	if (s->heads == NULL || s->names == NULL) return pai_system(e, "no memory for the shapes of entries");
	for (uint32_t row = 0; row < t->rows; row++) {
		s->heads[row] = pa_table_cell(t, 0, row);
		for (uint32_t i = 0; i < SHAPE_COLUMNS - 1; i++) {
			uint64_t word = pa_table_cell(t, i + 1, row);
			for (unsigned byte = 0; byte < 8; byte++) s->names[row][8 * i + byte] = (uint8_t)(word >> 8 * byte);
		}
	}
	return true;
}

bool pai_shapes_open(pa_archive *a, pa_error *e) {
	pa_table t;
	if (a->info.domain != PA_CUSTOM) return true;
	*e = pa_table_get(a, PA_TABLE_SHAPES, &t);
	if (e->code == PA_NOT_FOUND) {
		*e = pai_none();
		return true;
	}
	if (e->code != PA_OK) return false;
	uint64_t at = t._columns[0];
	if (t.columns != SHAPE_COLUMNS || t.flags != 0)
		return pai_damage(a, e, at, "the table of shapes has flags or further columns");
	a->shapes = calloc(1, sizeof *a->shapes);
	if (a->shapes == NULL) return pai_system(e, "no memory for the shapes of entries");
	if (!copy_rows(a->shapes, &t, e)) return false;
	uint32_t row;
	const char *wrong = pai_check_shapes(a->shapes, t.rows, &row);
	return wrong == NULL || pai_damage(a, e, at + 8 * (uint64_t)row, wrong);
}

void pai_shapes_free(shapes *s) {
	if (s == NULL) return;
	free(s->heads);
	free(s->names);
	free(s);
}

static slots column(const shape *s, const pa_entry *entry, uint32_t i) {
	return (slots){i, s->row_cells, i < s->cells ? 1 : entry->rows,
		s->kinds[i] == PA_CELL_METHOD ? POINTS_TO_METHOD : POINTS_TO_TYPE};
}

unsigned pai_shape_slots(const pa_entry *entry, slots *list) {
	const shape *s = pai_shape(entry->archive, entry->tag);
	unsigned n = 0;
	for (uint32_t i = 0; s != NULL && i < (uint32_t)s->cells + s->row_cells; i++)
		if (s->kinds[i] == PA_CELL_TYPE || s->kinds[i] == PA_CELL_METHOD) list[n++] = column(s, entry, i);
	return n;
}

unsigned pai_shape_counts(const pa_entry *entry, slots *list) {
	const shape *s = pai_shape(entry->archive, entry->tag);
	unsigned n = 0;
	for (uint32_t i = 0; s != NULL && i < (uint32_t)s->cells + s->row_cells; i++)
		if (s->kinds[i] == PA_CELL_COUNT) list[n++] = column(s, entry, i);
	return n;
}

unsigned pai_row_slots(const pa_entry *entry, const slots *list, unsigned n) {
	const shape *s = pai_shape(entry->archive, entry->tag);
	unsigned columns = 0;
	while (s != NULL && columns < n && list[n - columns - 1].first >= s->cells) columns++;
	return columns;
}

/* ---- what programs ask ---- */

bool pa_shape_of(const pa_archive *a, uint8_t tag, pa_shape *out) {
	const shape *s = a == NULL || out == NULL ? NULL : pai_shape(a, tag);
	if (s == NULL) return false;
	*out = (pa_shape){a, name_at(a->shapes, s->first), tag, s->unit, s->cells, s->row_cells};
	return true;
}

bool pa_shape_cell(const pa_shape *of, uint32_t i, pa_cell_shape *cell) {
	const shape *s = of == NULL || of->archive == NULL || cell == NULL ? NULL : pai_shape(of->archive, of->tag);
	if (s == NULL || i >= (uint32_t)s->cells + s->row_cells) return false;
	*cell = (pa_cell_shape){name_at(of->archive->shapes, s->first + 1 + i), s->kinds[i]};
	return true;
}

pa_text pa_shape_bit(const pa_shape *of, uint32_t i, uint32_t bit) {
	const shape *s = of == NULL || of->archive == NULL ? NULL : pai_shape(of->archive, of->tag);
	for (uint32_t row = s == NULL ? 1 : s->first, end = s == NULL ? 0 : s->first + s->rows; row < end; row++) {
		head h = head_of(of->archive->shapes->heads[row]);
		bool of_cell = h.part == SHAPE_CELL_BIT ? h.cell == i : h.part == SHAPE_ROW_BIT && h.cell + s->cells == i;
		if (of_cell && h.bit == bit) return name_at(of->archive->shapes, row);
	}
	return (pa_text){"", 0};
}
