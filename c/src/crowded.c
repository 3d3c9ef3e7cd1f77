/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the records without a slot in the index, in archives with the feature crowded. */
#include "plan.h"

static uint64_t id_of(const plan *p, uint32_t number) {
	return number < p->ntypes ? ITEM(new_type, p->b->types, p->types[number])->id : p->records[number - p->ntypes].id;
}

static int order(const void *with, uint32_t x, uint32_t y) {
	const plan *p = with;
	int c = compare_numbers(id_of(p, x), id_of(p, y));
	if (c == 0) c = (x < p->ntypes) - (y < p->ntypes); /* methods first */
	return c != 0 ? c : compare_numbers(x, y);
}

static bool add_row(plan *p, new_table *t, uint32_t number) {
	bool type = number < p->ntypes;
	uint8_t row[24];
	put64(row, id_of(p, number));
	put64(row + 8, type ? 0 : p->methods[number - p->ntypes]);
	put64(row + 16, type ? p->types[number] : 0);
	return pai_append(p->b, &t->cells, row, sizeof row);
}

bool pai_list_crowded(plan *p) {
	new_table made = {.kind = PA_TABLE_CROWDED, .columns = 3,
		.kinds = {PA_COLUMN_WORD, PA_COLUMN_METHOD, PA_COLUMN_TYPE}};
	if (p->ncrowded == 0) return true;
	uint32_t *spare = pai_memory(p, p->ncrowded, sizeof *spare);
	if (spare == NULL) return false;
	if (p->ntables == MAX_TABLES) return pai_refuse(p->b, PA_TOO_LARGE, "more than 1024 tables");
	pai_sort(p->crowded, spare, p->ncrowded, order, p);
	if (!pai_append(p->b, &p->b->tables, &made, sizeof made)) return false;
	new_table *t = pai_table(p->b, PA_TABLE_CROWDED);
	p->ntables++;
	for (uint32_t i = 0; i < p->ncrowded; i++)
		if (!add_row(p, t, p->crowded[i])) return false;
	return true;
}
