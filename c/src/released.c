/* SPDX-License-Identifier: Apache-2.0 */
/* Released functions. Their counts are kept as numbers of variable length for the next dump. */
#include "run.h"

/* ---- release ---- */

static void unlist(pa_run *r, pa_function *f) {
	*f->from = f->next;
	if (f->next != NULL) f->next->from = f->from;
	else r->last = f->from;
	*f->first = f->same;
	if (f->same != NULL) f->same->first = f->first;
	f->v.method->n_functions--;
}

static void list(pa_run *r, released *x) {
	method *m = x->v.method;
	x->next = r->released;
	x->from = &r->released;
	if (x->next != NULL) x->next->from = &x->next;
	r->released = x;
	x->same = m->released;
	m->released = x;
	m->n_released++;
}

void pai_forget(released *x) {
	method *m = x->v.method;
	released **at = &m->released;
	*x->from = x->next;
	if (x->next != NULL) x->next->from = x->from;
	while (*at != x) at = &(*at)->same; /* a method has few */
	*at = x->same;
	m->n_released--;
	free(x);
}

static void drop_released(pa_run *r, released *x) {
	method *m = x->v.method;
	pai_remove_item(&r->versions, x);
	pai_forget(x);
	pai_drop_method(r, m);
}

/* bound_released drops the released version of a method that no dump would keep. */
static void bound_released(pa_run *r, method *m) {
	released *least = m->released;
	uint64_t weight = pai_weigh(r, &least->v);
	if (m->n_released <= pai_bound(r)) return;
	for (released *x = least->same; x != NULL; x = x->same) {
		uint64_t w = pai_weigh(r, &x->v);
		if (w > weight || (w == weight && x->v.code > least->v.code)) continue;
		least = x;
		weight = w;
	}
	r->lost++;
	drop_released(r, least);
}

/* release replaces a function by its counts. If memory runs out, the function stays. */
static void release(pa_run *r, pa_function *f) {
	encoder c = {0};
	pai_put_function(&c, f);
	released *x = c.failed ? NULL : malloc(sizeof *x + c.size);
	if (x != NULL) {
		x->v = f->v;
		x->v.released = true;
		x->v.unused = false;
		x->v.epoch = r->epoch;
		x->v.size = (uint32_t)c.size;
		memcpy(x->bytes, c.bytes, c.size);
		pai_replace_item(&r->versions, f, x);
		unlist(r, f);
		list(r, x);
		pai_free_function(r, f);
		bound_released(r, x->v.method);
	}
	free(c.bytes);
}

void pa_release(pa_function *f) {
	if (f == NULL) return;
	pa_run *r = f->run;
	pthread_mutex_lock(&r->lock);
	if (r->writing) f->v.unused = r->unused = true; /* the dump still refers to its words */
	else release(r, f);
	pthread_mutex_unlock(&r->lock);
}

void pai_release_unused(pa_run *r) {
	for (pa_function *f = r->unused ? r->functions : NULL, *next; f != NULL; f = next) {
		next = f->next;
		if (f->v.unused) release(r, f);
	}
	r->unused = false;
}

void pai_forget_written(pa_run *r) {
	for (released *x = r->released, *next; x != NULL; x = next) {
		next = x->next;
		if (x->v.touched) drop_released(r, x);
	}
}

/* ---- use after release ---- */

/* set_words gives words the counts of a released function. written reports whether the dump being written has them. */
static bool set_words(pa_run *r, own o, uint32_t n, const uint64_t *now, const uint64_t *before, bool written) {
	for (uint32_t i = 0; i < n; i++) {
		atomic_store_explicit(&o.words[i], now[i], memory_order_release);
		if (before[i] != 0 && !pai_set_before(o, i, before[i])) return false;
		if (written && !pai_note_word(r, o, i, now[i])) return false;
	}
	return true;
}

static bool revive(pa_run *r, pa_function *f, const released *x) {
	taken t;
	bool has, written = r->writing && x->v.touched;
	uint64_t now[2], before[2];
	cursor c = pai_begin_released(r, x, &has, now, before);
	if (has && f->fields.words == NULL && !pai_take_words(r, f, 2, &f->fields)) return false;
	if (has && !set_words(r, f->fields, 2, now, before, written)) return false;
	while (pai_next_released(r, x, &c, &t)) {
		site *s = pai_make_site(f, t.point, t.tag, t.sub, t.n, t.shape);
		if (s == NULL || !set_words(r, (own){s->in, s->words}, t.n, t.now, t.counts, written)) return false;
		for (uint32_t i = 0; s->classes != NULL && i + 1 < t.n; i++)
			atomic_store_explicit(&s->classes[i], (uintptr_t)t.classes[i], memory_order_release);
	}
	return true;
}

bool pai_revive(pa_function *f, const released *x) {
	pa_run *r = f->run;
	size_t noted = r->n_noted;
	bool ok = revive(r, f, x);
	if (!ok) r->n_noted = noted;
	return ok;
}
