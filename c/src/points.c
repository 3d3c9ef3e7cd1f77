/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of a function's sites and receivers. A long list also has a hash table. */
#include "run.h"

enum { FEW = 16 };

static void drop_table(at_points *p) {
	if (p->table != NULL) free(p->table->slots);
	free(p->table);
	p->table = NULL;
}

/* begin_table makes an empty table for a list that has become long. */
static bool begin_table(at_points *p) { return (p->table = calloc(1, sizeof *p->table)) != NULL; }

/* ---- sites ---- */

static uint64_t hash_of(int32_t point, uint8_t tag, uint16_t sub) {
	return pai_keyed_number(0, (uint32_t)point | (uint64_t)tag << 32 | (uint64_t)sub << 40);
}

static bool is_site(const void *item, const void *with) {
	const site *s = item, *t = with;
	return s->point == t->point && s->tag == t->tag && s->sub == t->sub;
}

site *pai_find_site(const pa_function *f, int32_t point, uint8_t tag, uint16_t sub) {
	const site wanted = {.point = point, .tag = tag, .sub = sub};
	site *s = f->sites;
	if (f->sites_at.table != NULL) {
		void **slot = pai_find_slot(f->sites_at.table, hash_of(point, tag, sub), is_site, &wanted);
		return slot == NULL ? NULL : *slot;
	}
	while (s != NULL && !is_site(s, &wanted)) s = s->next;
	return s;
}

/* index_sites makes the table. Without memory for it, the list is searched. */
static void index_sites(pa_function *f) {
	bool ok = begin_table(&f->sites_at);
	for (site *s = f->sites; ok && s != NULL; s = s->next) ok = pai_add_item(f->sites_at.table, s);
	if (!ok) drop_table(&f->sites_at);
}

void pai_list_site(pa_function *f, site *s) {
	at_points *p = &f->sites_at;
	s->hash = hash_of(s->point, s->tag, s->sub);
	s->next = f->sites;
	f->sites = s;
	p->n++;
	if (p->table == NULL && p->n > FEW) index_sites(f);
	else if (p->table != NULL && !pai_add_item(p->table, s)) drop_table(p);
}

/* ---- receivers ---- */

static bool are_receivers(const void *item, const void *with) {
	return ((const pa_receivers *)item)->point == *(const int32_t *)with;
}

pa_receivers *pai_find_receivers(const pa_function *f, int32_t point) {
	pa_receivers *r = f->receivers;
	if (f->receivers_at.table != NULL) {
		void **slot = pai_find_slot(f->receivers_at.table, hash_of(point, 0, 0), are_receivers, &point);
		return slot == NULL ? NULL : *slot;
	}
	while (r != NULL && r->point != point) r = r->next;
	return r;
}

static void index_receivers(pa_function *f) {
	bool ok = begin_table(&f->receivers_at);
	for (pa_receivers *r = f->receivers; ok && r != NULL; r = r->next) ok = pai_add_item(f->receivers_at.table, r);
	if (!ok) drop_table(&f->receivers_at);
}

void pai_list_receivers(pa_function *f, pa_receivers *r) {
	at_points *p = &f->receivers_at;
	r->hash = hash_of(r->point, 0, 0);
	r->next = f->receivers;
	f->receivers = r;
	p->n++;
	if (p->table == NULL && p->n > FEW) index_receivers(f);
	else if (p->table != NULL && !pai_add_item(p->table, r)) drop_table(p);
}

void pai_free_points(pa_function *f) {
	drop_table(&f->sites_at);
	drop_table(&f->receivers_at);
}
