/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that the archive lacks. They lie in chunks, so that a checkpoint finds the changed ones by a comparison of
 * two arrays, and a child shares the counts at the fork with its parent. */
#include "run.h"

enum { FIRST_CHUNK = 256, LAST_CHUNK = 8192 };

/* ---- words ---- */

static void free_chunk(chunk *c) {
	free(c->words);
	free(c->before);
	free(c->at_fork);
	free(c->owners);
	free(c);
}

static bool add_chunk(pa_run *r, uint32_t n) {
	uint32_t room = r->chunks == NULL ? FIRST_CHUNK : 2 * r->chunks->n;
	if (room > LAST_CHUNK) room = LAST_CHUNK;
	if (room < n) room = 2 * n;
	chunk *c = calloc(1, sizeof *c);
	if (c == NULL) return false;
	*c = (chunk){.next = r->chunks, .n = room, .words = calloc(room, sizeof *c->words)};
	c->owners = calloc(room, sizeof *c->owners);
	if (c->words == NULL || c->owners == NULL) {
		free_chunk(c);
		return false;
	}
	r->chunks = c;
	return true;
}

bool pai_take_words(pa_run *r, pa_function *f, uint32_t n, own *words) {
	spare *s = &r->spare[n];
	if (s->n > 0) *words = s->list[--s->n];
	else {
		if ((r->chunks == NULL || r->chunks->n - r->chunks->used < n) && !add_chunk(r, n)) return false;
		*words = (own){r->chunks, r->chunks->words + r->chunks->used};
		r->chunks->used += n;
	}
	for (uint32_t i = 0; i < n; i++) words->in->owners[words->words - words->in->words + i] = f;
	return true;
}

void pai_free_words(pa_run *r, own o, uint32_t n) {
	spare *s = &r->spare[n];
	size_t at = o.in == NULL ? 0 : (size_t)(o.words - o.in->words);
	if (o.in == NULL) return;
	for (uint32_t i = 0; i < n; i++) {
		atomic_store_explicit(&o.words[i], 0, memory_order_relaxed);
		o.in->owners[at + i] = NULL;
		if (o.in->before != NULL) o.in->before[at + i] = 0;
	}
	if (s->n == s->room) {
		size_t room = s->room == 0 ? 16 : 2 * s->room;
		own *list = realloc(s->list, room * sizeof *list);
		if (list == NULL) return; /* the words stay unused */
		s->list = list;
		s->room = room;
	}
	s->list[s->n++] = o;
}

/* ---- entries ---- */

site *pai_make_site(pa_function *f, int32_t point, uint8_t tag, uint16_t sub, uint32_t n, const pa_new_shape *shape) {
	site *s = calloc(1, sizeof *s);
	own o;
	if (s == NULL) return NULL;
	*s = (site){.point = point, .tag = tag, .sub = sub, .n = n, .shape = shape};
	if (tag == PA_RECEIVERS) s->classes = calloc(n, sizeof *s->classes);
	if ((tag == PA_RECEIVERS && s->classes == NULL) || !pai_take_words(f->run, f, n, &o)) {
		free(s->classes);
		free(s);
		return NULL;
	}
	s->in = o.in;
	s->words = o.words;
	pai_list_site(f, s);
	return s;
}

void pai_free_site(pa_run *r, site *s) {
	pai_free_words(r, (own){s->in, s->words}, s->n);
	free(s->classes);
	free(s);
}

/* ---- counts of a checkpoint ---- */

static bool prepare_before(chunk *c) {
	return c->before != NULL || (c->before = calloc(c->n, sizeof *c->before)) != NULL;
}

bool pai_set_before(own o, uint32_t i, uint64_t count) {
	if (!prepare_before(o.in)) return false;
	o.in->before[o.words - o.in->words + i] = count;
	return true;
}

bool pai_note_word(pa_run *r, own o, uint32_t i, uint64_t count) {
	if (!prepare_before(o.in)) return false;
	if (r->n_noted == r->noted_room) {
		size_t room = r->noted_room == 0 ? 64 : 2 * r->noted_room;
		noted_word *more = realloc(r->noted, room * sizeof *more);
		if (more == NULL) return false;
		r->noted = more;
		r->noted_room = room;
	}
	r->noted[r->n_noted++] = (noted_word){o.in, (uint32_t)(o.words - o.in->words) + i, count};
	return true;
}

void pai_keep_words(pa_run *r) {
	for (size_t i = 0; i < r->n_noted; i++) r->noted[i].in->before[r->noted[i].at] = r->noted[i].count;
}

bool pai_each_touched(pa_run *r, bool (*take)(pa_run *r, pa_function *f, void *to), void *to) {
	for (chunk *c = r->chunks; c != NULL; c = c->next)
		for (uint32_t i = 0; i < c->used; i++) {
			uint64_t before = c->before == NULL ? 0 : c->before[i];
			if (pa_load(&c->words[i]) != before && c->owners[i] != NULL && !take(r, c->owners[i], to)) return false;
		}
	return true;
}

/* ---- forks ---- */

/* copy_chunk copies the counts of a chunk. It writes only those that have changed since the last copy, so that
 * processes share the pages of the others. */
static bool copy_chunk(chunk *c) {
	for (uint32_t i = 0; i < c->used; i++) {
		uint64_t now = pa_load(&c->words[i]);
		if (now == (c->at_fork == NULL ? 0 : c->at_fork[i])) continue;
		if (c->at_fork == NULL && (c->at_fork = calloc(c->n, sizeof *c->at_fork)) == NULL) return false;
		c->at_fork[i] = now;
	}
	return true;
}

bool pai_copy_words(pa_run *r) {
	for (chunk *c = r->chunks; c != NULL; c = c->next)
		if (!copy_chunk(c)) return false;
	return true;
}

bool pai_part_words(pa_run *r) {
	bool ok = pai_copy_words(r); /* threads of the parent may have counted since the first copy */
	for (chunk *c = r->chunks; c != NULL; c = c->next) {
		free(c->before);
		c->before = c->at_fork;
		c->at_fork = NULL;
	}
	r->n_noted = 0;
	return ok;
}

void pai_free_chunks(pa_run *r) {
	for (chunk *c = r->chunks, *next; c != NULL; c = next) {
		next = c->next;
		free_chunk(c);
	}
	for (uint32_t i = 0; i <= MOST_WORDS; i++) free(r->spare[i].list);
	free(r->noted);
}
