/* SPDX-License-Identifier: Apache-2.0 */
/* Sort orders of an archive's records. They depend on the interned items, not on the order of the calls. */
#include "plan.h"

/* sorted returns the references 1 to n in sorted order. */
static uint32_t *sorted(plan *p, uint32_t n, pai_order *order) {
	uint32_t *refs = pai_memory(p, n, sizeof *refs);
	if (refs == NULL) return NULL;
	for (uint32_t i = 0; i < n; i++) refs[i] = i + 1;
	pai_sort(refs, p->spare, n, order, p);
	return refs;
}

/* ranks inverts a sort order. */
static uint32_t *ranks(plan *p, const uint32_t *refs, uint32_t n) {
	uint32_t *rank = refs == NULL ? NULL : pai_memory(p, n, sizeof *rank);
	for (uint32_t i = 0; rank != NULL && i < n; i++) rank[refs[i] - 1] = i;
	return rank;
}

/* text_rank returns the rank of a symbol, 0 for none. */
static uint64_t text_rank(const plan *p, uint32_t symbol) {
	return symbol == 0 ? 0 : p->text_rank[symbol - 1] + (uint64_t)1;
}

static int order_symbols(const void *with, uint32_t x, uint32_t y) {
	const plan *p = with;
	return pai_compare_texts(pai_text(p->b, x), pai_text(p->b, y));
}

static int order_types(const void *with, uint32_t x, uint32_t y) {
	const plan *p = with;
	const new_type *s = ITEM(new_type, p->b->types, x), *t = ITEM(new_type, p->b->types, y);
	int c = compare_numbers(text_rank(p, s->name), text_rank(p, t->name));
	return c != 0 ? c : compare_numbers(text_rank(p, s->loader), text_rank(p, t->loader));
}

static int order_methods(const void *with, uint32_t x, uint32_t y) {
	static const new_type none;
	const plan *p = with;
	const new_method *m = ITEM(new_method, p->b->methods, x), *n = ITEM(new_method, p->b->methods, y);
	const new_type *s = m->holder == 0 ? &none : ITEM(new_type, p->b->types, m->holder),
				   *t = n->holder == 0 ? &none : ITEM(new_type, p->b->types, n->holder);
	int c = compare_numbers(text_rank(p, s->name), text_rank(p, t->name));
	if (c == 0) c = compare_numbers(text_rank(p, m->name), text_rank(p, n->name));
	if (c == 0) c = compare_numbers(text_rank(p, m->signature), text_rank(p, n->signature));
	return c != 0 ? c : compare_numbers(text_rank(p, s->loader), text_rank(p, t->loader));
}

/* ---- contexts ---- */

static const new_context *context(const plan *p, uint32_t ref) { return ITEM(new_context, p->b->contexts, ref); }

static int order_depths(const void *with, uint32_t x, uint32_t y) {
	const plan *p = with;
	return compare_numbers(context(p, x)->depth, context(p, y)->depth);
}

static uint64_t context_rank(const plan *p, uint32_t ref) {
	return ref == 0 ? 0 : p->context_rank[ref - 1] + (uint64_t)1;
}

/* order_level compares contexts of one depth. The contexts of the previous depth must have ranks. */
static int order_level(const void *with, uint32_t x, uint32_t y) {
	const plan *p = with;
	const new_context *c = context(p, x), *d = context(p, y);
	int o = compare_numbers(p->method_rank[c->method - 1], p->method_rank[d->method - 1]);
	if (o == 0) o = compare_numbers(context_rank(p, c->parent), context_rank(p, d->parent));
	if (o == 0) o = compare_numbers(p->method_rank[c->caller - 1], p->method_rank[d->caller - 1]);
	return o != 0 ? o : c->point < d->point ? -1 : c->point > d->point;
}

static int order_owners(const void *with, uint32_t x, uint32_t y) {
	const plan *p = with;
	return compare_numbers(p->method_rank[context(p, x)->method - 1], p->method_rank[context(p, y)->method - 1]);
}

/* order_contexts ranks contexts level by level, because a level's order depends on the order of the parents. */
static bool order_contexts(plan *p) {
	uint32_t *refs = p->contexts = sorted(p, p->ncontexts, order_depths);
	p->context_rank = pai_memory(p, p->ncontexts, sizeof *p->context_rank);
	if (refs == NULL || p->context_rank == NULL) return false;
	for (uint32_t from = 0, to = 0; from < p->ncontexts; from = to) {
		while (to < p->ncontexts && context(p, refs[to])->depth == context(p, refs[from])->depth) to++;
		pai_sort(refs + from, p->spare, to - from, order_level, p);
		for (uint32_t i = from; i < to; i++) p->context_rank[refs[i] - 1] = i;
	}
	pai_sort(refs, p->spare, p->ncontexts, order_owners, p);
	for (uint32_t i = 0; i < p->ncontexts; i++) p->context_rank[refs[i] - 1] = i;
	return true;
}

static int order_profiles(const void *with, uint32_t x, uint32_t y) {
	const plan *p = with;
	const new_profile *f = ITEM(new_profile, p->b->profiles, x), *g = ITEM(new_profile, p->b->profiles, y);
	int c = compare_numbers(p->method_rank[f->method - 1], p->method_rank[g->method - 1]);
	if (c == 0) c = compare_numbers(context_rank(p, f->context), context_rank(p, g->context));
	return c != 0 ? c : compare_numbers(f->code, g->code);
}

static uint32_t most(const plan *p) {
	uint32_t n = p->nsymbols;
	if (p->ntypes > n) n = p->ntypes;
	if (p->nmethods > n) n = p->nmethods;
	if (p->ncontexts > n) n = p->ncontexts;
	return p->nprofiles > n ? p->nprofiles : n;
}

bool pai_order_all(plan *p) {
	p->spare = pai_memory(p, most(p), sizeof *p->spare);
	if (p->spare == NULL) return false;
	p->symbols = sorted(p, p->nsymbols, order_symbols);
	p->text_rank = ranks(p, p->symbols, p->nsymbols);
	if (p->text_rank == NULL) return false;
	p->types = sorted(p, p->ntypes, order_types);
	p->type_rank = ranks(p, p->types, p->ntypes);
	p->methods = sorted(p, p->nmethods, order_methods);
	p->method_rank = ranks(p, p->methods, p->nmethods);
	if (p->type_rank == NULL || p->method_rank == NULL || !order_contexts(p)) return false;
	p->profiles = sorted(p, p->nprofiles, order_profiles);
	return p->profiles != NULL;
}
