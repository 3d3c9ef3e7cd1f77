/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a function, in the archive's profile or in private memory. */
#include "run.h"

/* nowhere receives counts of runs and functions that ran out of memory. Nobody reads it. */
static pa_counter nowhere;

/* ---- fields ---- */

static pa_counter *field_or(const pa_function *f, unsigned field, own *o) {
	pa_counter *word = f->trained ? pa_profile_word(&f->profile, field) : NULL;
	return word != NULL ? word : &o->word;
}

pa_counter *pa_calls(pa_function *f) { return f == NULL ? &nowhere : field_or(f, PA_FIELD_INVOCATIONS, &f->calls); }

pa_counter *pa_backedges(pa_function *f) {
	return f == NULL ? &nowhere : field_or(f, PA_FIELD_BACKEDGES, &f->backedges);
}

/* ---- entries ---- */

/* trained_entry finds the archive's entry at a point. */
static bool trained_entry(const pa_function *f, int32_t point, uint8_t tag, uint16_t sub, pa_entry *entry) {
	if (!f->trained) return false;
	for (pa_entries it = pa_entries_at(&f->profile, point); pa_entries_next(&it, entry);)
		if (entry->tag == tag && entry->sub == sub) return true;
	return false;
}

static site *find_site(pa_function *f, int32_t point, uint8_t tag, uint16_t sub) {
	for (site *s = f->sites; s != NULL; s = s->next)
		if (s->point == point && s->tag == tag && s->sub == sub) return s;
	return NULL;
}

/* site_at returns the private entry at a point, and makes it with n words if necessary. It returns NULL if memory runs
 * out. */
static site *site_at(
	pa_function *f, int32_t point, uint8_t tag, uint16_t sub, uint32_t n, const pa_new_shape *shape) {
	pthread_mutex_lock(&f->run->lock);
	site *s = find_site(f, point, tag, sub);
	if (s == NULL && (s = calloc(1, sizeof *s + n * sizeof *s->words)) != NULL) {
		s->point = point;
		s->tag = tag;
		s->sub = sub;
		s->n = n;
		s->shape = shape;
		if (tag == PA_RECEIVERS) s->classes = calloc(n, sizeof *s->classes);
		if (tag == PA_RECEIVERS && s->classes == NULL) {
			free(s);
			s = NULL;
		} else {
			s->next = f->sites;
			f->sites = s;
		}
	}
	pthread_mutex_unlock(&f->run->lock);
	return s;
}

void pa_branch_words(pa_function *f, int32_t point, pa_counter **taken, pa_counter **not_taken) {
	enum { TAKEN = 1, NOT_TAKEN = 3, CELLS = 4 }; /* cells of the entry */
	pa_entry e;
	*taken = *not_taken = &nowhere;
	if (f == NULL) return;
	if (trained_entry(f, point, PA_SUCCESSORS, PA_CONDITIONAL, &e) && e.cells == CELLS) {
		*taken = pa_word(&e, TAKEN);
		*not_taken = pa_word(&e, NOT_TAKEN);
		return;
	}
	site *s = site_at(f, point, PA_SUCCESSORS, PA_CONDITIONAL, 2, NULL);
	if (s == NULL) return;
	*taken = &s->words[0].word;
	*not_taken = &s->words[1].word;
}

static const pa_new_shape *shape_of(const pa_run *r, uint8_t tag) {
	for (uint32_t i = 0; i < r->vm.n_shapes; i++)
		if (r->vm.shapes[i].tag == tag) return &r->vm.shapes[i];
	return NULL;
}

void pa_words(pa_function *f, int32_t point, uint8_t tag, pa_counter **words, uint32_t n) {
	const pa_new_shape *shape = f == NULL ? NULL : shape_of(f->run, tag);
	pa_entry e;
	for (uint32_t i = 0; i < n; i++) words[i] = &nowhere;
	if (shape == NULL) return;
	bool trained = trained_entry(f, point, tag, 0, &e) && e.cells == shape->n;
	site *s = trained ? NULL : site_at(f, point, tag, 0, shape->n, shape);
	for (uint32_t i = 0; i < n && i < shape->n && (trained || s != NULL); i++)
		if (shape->cells[i].kind != PA_CELL_TYPE && shape->cells[i].kind != PA_CELL_METHOD)
			words[i] = trained ? pa_word(&e, i) : &s->words[i].word;
}

/* ---- receivers ---- */

static pa_receivers *find_receivers(const pa_function *f, int32_t point) {
	for (pa_receivers *r = f->receivers; r != NULL; r = r->next)
		if (r->point == point) return r;
	return NULL;
}

/* keep adds receivers to the function, unless another thread has added the same ones. */
static pa_receivers *keep(pa_function *f, pa_receivers *made) {
	pthread_mutex_lock(&f->run->lock);
	pa_receivers *r = find_receivers(f, made->point);
	if (r == NULL) {
		r = made;
		r->next = f->receivers;
		f->receivers = r;
	} else free(made);
	pthread_mutex_unlock(&f->run->lock);
	return r;
}

pa_receivers *pa_receivers_at(pa_function *f, int32_t point) {
	pa_receivers *r = f == NULL ? NULL : calloc(1, sizeof *r);
	if (r == NULL) return NULL;
	r->of = f;
	r->point = point;
	r->trained = trained_entry(f, point, PA_RECEIVERS, PA_OF_CALL, &r->entry);
	if (!r->trained) r->own = site_at(f, point, PA_RECEIVERS, PA_OF_CALL, f->run->vm.rows + 1, NULL);
	if (r->trained || r->own != NULL) return keep(f, r);
	free(r);
	return NULL;
}

/* row_of finds the row of a class in a site, or assigns the first empty row to it. It returns the number of rows if all
 * are taken. */
static uint32_t row_of(site *s, const pa_class *c) {
	for (uint32_t i = 0; i + 1 < s->n; i++) {
		const pa_class *has = atomic_load_explicit(&s->classes[i], memory_order_acquire);
		if (has == NULL && atomic_compare_exchange_strong(&s->classes[i], &has, c)) return i;
		if (has == c) return i;
	}
	return s->n - 1;
}

void pa_count_class(pa_receivers *r, const pa_class *c) {
	if (r == NULL) return;
	if (!r->trained) pa_count(&r->own->words[c == NULL ? r->own->n - 1 : row_of(r->own, c)].word, 1);
	else if (c == NULL || pa_count_receiver(&r->entry, c->_type, NULL).code != PA_OK)
		pa_count(pa_word(&r->entry, 0), 1);
}

bool pa_next_class(const pa_receivers *r, uint32_t *row, const pa_class **c, uint64_t *count) {
	pa_receiver got;
	if (r == NULL) return false;
	if (r->trained) {
		if (!pa_next_bound(&r->entry, row, &got)) return false;
		*c = got.bound;
		*count = got.count;
		return true;
	}
	while (*row + 1 < r->own->n) {
		uint32_t i = (*row)++;
		const pa_class *has = atomic_load_explicit(&r->own->classes[i], memory_order_acquire);
		if (has == NULL) continue;
		*c = has;
		*count = pa_load(&r->own->words[i].word);
		return true;
	}
	return false;
}

uint64_t pa_other_classes(const pa_receivers *r) {
	if (r == NULL) return 0;
	return r->trained ? pa_cell(&r->entry, 0) : pa_load(&r->own->words[r->own->n - 1].word);
}
