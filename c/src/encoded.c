/* SPDX-License-Identifier: Apache-2.0 */
/* The encoding of released functions, as numbers of variable length. */
#include "run.h"

/* ---- encoding ---- */

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

void pai_put_function(encoder *c, const pa_function *f) {
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
