//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "compiled.h"

#include <stdlib.h>

#include "search.h"

enum { C2 = 4 };

/* ---- compilations ---- */

/* Columns of the table of compilations. */
enum { METHOD, LEVEL, POINT, NUMBER, ID, SIZE, RUNS, INSTALLED };

static int compare_methods(const void *x, const void *y) {
	const compiled_method *a = x, *b = y;
	if (a->method != b->method) return a->method < b->method ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* collect copies the rows for C2 code in use at the end. The point is the loop entry, or -1. */
static void collect(compiled *c, const pa_table *t) {
	for (uint32_t i = 0; i < t->rows; i++) {
		uint64_t id = pa_table_cell(t, ID, i);
		if (pa_table_cell(t, LEVEL, i) != C2 || pa_table_cell(t, POINT, i) != UINT64_MAX ||
			pa_table_cell(t, INSTALLED, i) == 0 || id == 0)
			continue;
		c->methods[c->n++] = (compiled_method){layers_method(c->of, (pa_ref)pa_table_cell(t, METHOD, i)), id};
	}
}

/* unite keeps the row with the lowest compile id for each method. */
static void unite(compiled *c) {
	uint32_t n = 0;
	qsort(c->methods, c->n, sizeof *c->methods, compare_methods);
	for (uint32_t i = 0; i < c->n; i++)
		if (n == 0 || c->methods[n - 1].method != c->methods[i].method) c->methods[n++] = c->methods[i];
	c->n = n;
}

/* ran returns the counts of a method in training. */
static uint64_t ran(const layers *of, layer_method method) {
	const pa_archive *archive = of->list[method >> 32].archive;
	pa_method m;
	pa_profile p;
	pa_summary s;
	uint64_t most = 0;
	if (pa_table_method(archive, (pa_ref)method, &m).code != PA_OK) return 0;
	for (pa_profiles it = pa_profiles_of(archive, &m); pa_profiles_next(&it, &p).code == PA_OK;) {
		pa_summarize(&p, &s);
		if (s.invocations + s.backedges > most) most = s.invocations + s.backedges;
	}
	return most;
}

static int compare_ranks(const void *x, const void *y) {
	const compiled_method *a = x, *b = y;
	return a->rank != b->rank ? (a->rank < b->rank ? -1 : 1) : compare_methods(x, y);
}

/* rank fills order with the methods sorted by rank. */
static bool rank(compiled *c, compiled_order order) {
	compiled_method *sorted = malloc((c->n + 1) * sizeof *sorted);
	c->order = malloc((c->n + 1) * sizeof *c->order);
	bool ok = sorted != NULL && c->order != NULL;
	for (uint32_t i = 0; ok && i < c->n; i++) {
		sorted[i] = c->methods[i];
		if (order == COMPILED_HOTTEST) sorted[i].rank = UINT64_MAX - ran(c->of, sorted[i].method);
	}
	if (ok) qsort(sorted, c->n, sizeof *sorted, compare_ranks);
	for (uint32_t i = 0; ok && i < c->n; i++) c->order[i] = compiled_place(c, sorted[i].method);
	free(sorted);
	return ok;
}

static bool is_method_before(const void *list, uint32_t i, const void *method) {
	return ((const compiled_method *)list)[i].method < *(const layer_method *)method;
}

uint32_t compiled_place(const compiled *c, layer_method method) {
	uint32_t i = search_first(c->methods, c->n, &method, is_method_before);
	return i < c->n && c->methods[i].method == method ? i : c->n;
}

/* ---- inlining ---- */

enum { CONTEXT, INLINING_LEVEL };

static int compare_inlined(const void *x, const void *y) {
	const compiled_inlined *a = x, *b = y;
	if (a->into != b->into) return a->into < b->into ? -1 : 1;
	return (a->holder > b->holder) - (a->holder < b->holder);
}

/* inlined_at reads a row. The method of its context was inlined into the method of the outermost frame. */
static bool inlined_at(const layers *of, pa_ref at, compiled_inlined *to) {
	const layer *top = &of->list[0];
	enum { DEEPEST = 64 };
	pa_frame frames[DEEPEST];
	pa_context context;
	pa_method m;
	size_t n;
	if (pa_context_at(top->archive, at, &context).code != PA_OK ||
		pa_context_frames(top->archive, &context, frames, DEEPEST, &n).code != PA_OK)
		return false;
	if (n == 0 || n > DEEPEST || pa_method_at(top->archive, context.method, &m).code != PA_OK) return false;
	*to = (compiled_inlined){layers_method(of, frames[n - 1].caller), top->first_type + m.holder};
	return m.holder != PA_NO_TYPE;
}

static bool open_inlined(compiled *c) {
	pa_table t;
	if (pa_table_get(c->of->list[0].archive, PA_TABLE_INLINING, &t).code != PA_OK) return true;
	c->inlined = malloc((t.rows + 1) * sizeof *c->inlined);
	if (c->inlined == NULL) return false;
	for (uint32_t i = 0; i < t.rows; i++)
		if (pa_table_cell(&t, INLINING_LEVEL, i) == C2 &&
			inlined_at(c->of, (pa_ref)pa_table_cell(&t, CONTEXT, i), &c->inlined[c->n_inlined]))
			c->n_inlined++;
	qsort(c->inlined, c->n_inlined, sizeof *c->inlined, compare_inlined);
	return true;
}

static bool is_inlined_before(const void *list, uint32_t i, const void *into) {
	return ((const compiled_inlined *)list)[i].into < *(const layer_method *)into;
}

uint32_t compiled_inlined_first(const compiled *c, layer_method method) {
	uint32_t i = search_first(c->inlined, c->n_inlined, &method, is_inlined_before);
	return i < c->n_inlined && c->inlined[i].into == method ? i : c->n_inlined;
}

bool compiled_open(compiled *c, const layers *of, compiled_order order) {
	pa_table t;
	*c = (compiled){.of = of};
	bool known = pa_table_get(of->list[0].archive, PA_TABLE_COMPILATIONS, &t).code == PA_OK;
	c->methods = malloc(((known ? t.rows : 0) + 1) * sizeof *c->methods);
	if (c->methods == NULL) return false;
	if (known) collect(c, &t);
	unite(c);
	return rank(c, order) && open_inlined(c);
}
