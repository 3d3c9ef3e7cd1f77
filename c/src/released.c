/* SPDX-License-Identifier: Apache-2.0 */
/* Released functions. Their counts are kept as numbers of variable length for the next dump. */
#include "run.h"

/* ---- encoding ---- */

typedef struct encoder { uint8_t *bytes; size_t size, room; bool failed; } encoder;

static void put(encoder *c, const void *bytes, size_t n) {
	if (c->size + n > c->room) {
		size_t room = 2 * (c->size + n) + 64;
		uint8_t *more = realloc(c->bytes, room);
		if (more == NULL) {
			c->failed = true;
			return;
		}
		c->bytes = more;
		c->room = room;
	}
	memcpy(c->bytes + c->size, bytes, n);
	c->size += n;
}

static void put_number(encoder *c, uint64_t v) {
	uint8_t bytes[10];
	size_t n = 0;
	for (; v >= 128; v >>= 7) bytes[n++] = (uint8_t)(v | 128);
	bytes[n++] = (uint8_t)v;
	put(c, bytes, n);
}

static uint64_t get_number(cursor *c) {
	uint64_t v = 0;
	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;
		v |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) break;
	}
	return v;
}

static void put_words(encoder *c, const own *o, uint32_t n) {
	for (uint32_t i = 0; i < n; i++) {
		put_number(c, atomic_load_explicit(&o->words[i], memory_order_acquire));
		put_number(c, count_before(o, i));
	}
}

static void put_site(encoder *c, const site *s) {
	const own o = {s->in, s->words};
	put_number(c, (uint32_t)s->point);
	put(c, &s->tag, 1);
	put_number(c, s->sub);
	put_number(c, s->n);
	put_words(c, &o, s->n);
	for (uint32_t i = 0; s->classes != NULL && i + 1 < s->n; i++)
		put_number(c, (uintptr_t)class_in(&s->classes[i]));
}

static void put_function(encoder *c, const pa_function *f) {
	uint8_t has = f->fields.words != NULL;
	put(c, &has, 1);
	if (has) put_words(c, &f->fields, 2);
	for (const site *s = f->sites; s != NULL; s = s->next) put_site(c, s);
}

/* ---- decoding ---- */

/* get_words decodes words. After a fork they are the parent's. */
static void get_words(cursor *c, bool of_parent, uint32_t n, uint64_t *now, uint64_t *before) {
	for (uint32_t i = 0; i < n; i++) {
		now[i] = get_number(c);
		before[i] = get_number(c);
		if (of_parent) before[i] = now[i];
	}
}

cursor pai_begin_released(const pa_run *r, const released *x, bool *has, uint64_t now[2], uint64_t before[2]) {
	cursor c = {x->bytes, x->bytes + x->v.size};
	*has = *c.at++ != 0;
	now[0] = now[1] = before[0] = before[1] = 0;
	if (*has) get_words(&c, x->v.epoch != r->epoch, 2, now, before);
	return c;
}

static const pa_new_shape *shape_of(const pa_run *r, uint8_t tag) {
	for (uint32_t i = 0; i < r->vm.n_shapes; i++)
		if (r->vm.shapes[i].tag == tag) return &r->vm.shapes[i];
	return NULL;
}

bool pai_next_released(const pa_run *r, const released *x, cursor *c, taken *t) {
	if (c->at >= c->end) return false;
	t->point = (int32_t)(uint32_t)get_number(c);
	t->tag = *c->at++;
	t->sub = (uint16_t)get_number(c);
	t->n = (uint32_t)get_number(c);
	t->shape = shape_of(r, t->tag);
	get_words(c, x->v.epoch != r->epoch, t->n, t->now, t->counts);
	for (uint32_t i = 0; t->tag == PA_RECEIVERS && i + 1 < t->n; i++)
		t->classes[i] = (const pa_class *)(uintptr_t)get_number(c);
	return true;
}

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
	put_function(&c, f);
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
