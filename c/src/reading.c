/* SPDX-License-Identifier: Apache-2.0 */
/* The private counts of a version, in words or encoded. */
#include "run.h"

/* read_words reads private words. counts gets their counts in total or since the last checkpoint. */
static void read_words(reading *x, const own *o, uint32_t n, uint64_t *now, uint64_t *counts) {
	for (uint32_t i = 0; i < n; i++) {
		now[i] = atomic_load_explicit(&o->words[i], memory_order_acquire);
		counts[i] = now[i] - count_before(o, i);
		if (x->noted && counts[i] != 0 && !pai_note_word(x->r, *o, i, now[i])) x->failed = true;
	}
}

/* read_site reads the counts before the classes. A row with a count then has a class. */
static void read_site(reading *x, const site *s, taken *t) {
	t->point = s->point;
	t->tag = s->tag;
	t->sub = s->sub;
	t->n = s->n;
	t->shape = s->shape;
	read_words(x, &(own){s->in, s->words}, s->n, t->now, t->counts);
	for (uint32_t i = 0; s->classes != NULL && i + 1 < s->n; i++) t->classes[i] = class_in(&s->classes[i]);
}

position pai_begin_version(reading *x, const version *v, bool *has, uint64_t counts[2]) {
	uint64_t now[2] = {0}, before[2] = {0};
	position p = {NULL, {NULL, NULL}, NULL};
	if (v->released) {
		p.of = (const released *)v;
		p.encoded = pai_begin_released(x->r, p.of, has, now, before);
		for (unsigned i = 0; i < 2; i++) counts[i] = now[i] - before[i];
		return p;
	}
	const pa_function *f = (const pa_function *)v;
	p.next = f->sites;
	counts[0] = counts[1] = 0;
	*has = f->fields.words != NULL;
	if (*has) read_words(x, &f->fields, 2, now, counts);
	return p;
}

bool pai_next_site(reading *x, position *p, taken *t) {
	if (p->of != NULL) {
		if (!pai_next_released(x->r, p->of, &p->encoded, t)) return false;
		for (uint32_t i = 0; i < t->n; i++) t->counts[i] = t->now[i] - t->counts[i];
		return true;
	}
	if (p->next == NULL) return false;
	read_site(x, p->next, t);
	p->next = p->next->next;
	return true;
}

uint64_t pai_weigh(pa_run *r, version *v) {
	reading x = {r, false, false};
	bool has;
	uint64_t fields[2];
	taken t;
	position p = pai_begin_version(&x, v, &has, fields);
	uint64_t sum = fields[0];
	while (pai_next_site(&x, &p, &t))
		for (uint32_t i = 0; i < t.n; i++)
			if (t.shape == NULL || t.shape->cells[i].kind == PA_CELL_COUNT) sum = add_up(sum, t.counts[i]);
	return sum;
}
