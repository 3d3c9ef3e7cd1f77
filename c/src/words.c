/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a function, in the archive's profile or in private memory. */
#include "run.h"

/* nowhere receives counts of runs and functions that ran out of memory. Nobody reads it. */
static pa_counter nowhere;

/* ---- fields ---- */

/* private_field returns a private counter of a function. Functions of the archive get them when its profile lacks a
 * field. */
static pa_counter *private_field(pa_function *f, uint32_t i) {
	pthread_mutex_lock(&f->run->lock);
	bool ok = f->fields.words != NULL || pai_take_words(f->run, f, 2, &f->fields);
	pthread_mutex_unlock(&f->run->lock);
	return ok ? &f->fields.words[i] : &nowhere;
}

static pa_counter *field_or(pa_function *f, unsigned field, uint32_t i) {
	if (f == NULL) return &nowhere;
	pa_counter *word = f->trained ? pa_profile_word(&f->profile, field) : &f->fields.words[i];
	return word != NULL ? word : private_field(f, i);
}

pa_counter *pa_calls(pa_function *f) { return field_or(f, PA_FIELD_INVOCATIONS, 0); }

pa_counter *pa_backedges(pa_function *f) { return field_or(f, PA_FIELD_BACKEDGES, 1); }

/* ---- entries ---- */

/* trained_entry finds the archive's entry at a point. */
static bool trained_entry(const pa_function *f, int32_t point, uint8_t tag, uint16_t sub, pa_entry *entry) {
	if (!f->trained) return false;
	for (pa_entries it = pa_entries_at(&f->profile, point); pa_entries_next(&it, entry);)
		if (entry->tag == tag && entry->sub == sub) return true;
	return false;
}

/* site_at returns the private entry at a point, and makes it with n words if necessary. It returns NULL if memory runs
 * out. */
static site *site_at(
	pa_function *f, int32_t point, uint8_t tag, uint16_t sub, uint32_t n, const pa_new_shape *shape) {
	pthread_mutex_lock(&f->run->lock);
	site *s = pai_find_site(f, point, tag, sub);
	if (s == NULL) s = pai_make_site(f, point, tag, sub, n, shape);
	pthread_mutex_unlock(&f->run->lock);
	return s;
}

void pa_branch_words(pa_function *f, int32_t point, pa_counter **taken, pa_counter **not_taken) {
	enum { TAKEN = 1, NOT_TAKEN = 3, CELLS = 4 }; /* cells of the entry */
	pa_entry e;
	pa_counter *unused;
	if (taken == NULL) taken = &unused;
	if (not_taken == NULL) not_taken = &unused;
	*taken = *not_taken = &nowhere;
	if (f == NULL) return;
	if (trained_entry(f, point, PA_SUCCESSORS, PA_CONDITIONAL, &e) && e.cells == CELLS) {
		*taken = pa_word(&e, TAKEN);
		*not_taken = pa_word(&e, NOT_TAKEN);
		return;
	}
	site *s = site_at(f, point, PA_SUCCESSORS, PA_CONDITIONAL, 2, NULL);
	if (s == NULL) return;
	*taken = &s->words[0];
	*not_taken = &s->words[1];
}

/* count_at_point returns the counter of a Count entry. */
static pa_counter *count_at_point(pa_function *f, int32_t point, uint16_t sub) {
	pa_entry e;
	if (f == NULL) return &nowhere;
	if (trained_entry(f, point, PA_COUNT, sub, &e)) return pa_word(&e, 0);
	site *s = site_at(f, point, PA_COUNT, sub, 1, NULL);
	return s == NULL ? &nowhere : s->words;
}

pa_counter *pa_loop(pa_function *f, int32_t point) { return count_at_point(f, point, PA_ITERATIONS); }

pa_counter *pa_deopts(pa_function *f, int32_t point, unsigned cause) {
	return cause < PA_DEOPT_CAUSES ? count_at_point(f, point, (uint16_t)(PA_DEOPTS + cause)) : &nowhere;
}

static const pa_new_shape *shape_of(const pa_run *r, uint8_t tag) {
	for (uint32_t i = 0; i < r->vm.n_shapes; i++)
		if (r->vm.shapes[i].tag == tag) return &r->vm.shapes[i];
	return NULL;
}

void pa_words(pa_function *f, int32_t point, uint8_t tag, pa_counter **words, uint32_t n) {
	const pa_new_shape *shape = f == NULL ? NULL : shape_of(f->run, tag);
	pa_entry e;
	if (words == NULL) return;
	for (uint32_t i = 0; i < n; i++) words[i] = &nowhere;
	if (shape == NULL) return;
	bool trained = trained_entry(f, point, tag, 0, &e) && e.cells == shape->n;
	site *s = trained ? NULL : site_at(f, point, tag, 0, shape->n, shape);
	for (uint32_t i = 0; i < n && i < shape->n && (trained || s != NULL); i++)
		if (shape->cells[i].kind != PA_CELL_TYPE && shape->cells[i].kind != PA_CELL_METHOD)
			words[i] = trained ? pa_word(&e, i) : &s->words[i];
}

/* ---- receivers ---- */

/* keep adds receivers to the function, unless another thread has added the same ones. */
static pa_receivers *keep(pa_function *f, pa_receivers *made) {
	pthread_mutex_lock(&f->run->lock);
	pa_receivers *r = pai_find_receivers(f, made->point);
	if (r == NULL) pai_list_receivers(f, r = made);
	else free(made);
	pthread_mutex_unlock(&f->run->lock);
	return r;
}

static bool in_archive(pa_receivers *r) {
	pa_rows rows;
	if (!trained_entry(r->of, r->point, PA_RECEIVERS, PA_OF_CALL, &r->entry)) return false;
	if (!pa_receivers_of(&r->entry, &rows)) return false;
	r->rows = (receiver_rows){pa_word(&r->entry, rows.first), pa_word(&r->entry, rows.first + 1),
		pa_word(&r->entry, 0), rows.count, rows.width, rows.width};
	return true;
}

static bool in_site(pa_receivers *r) {
	uint32_t n = r->of->run->vm.rows;
	site *s = site_at(r->of, r->point, PA_RECEIVERS, PA_OF_CALL, n + 1, NULL);
	if (s == NULL) return false;
	r->rows = (receiver_rows){s->classes, &s->words[0], &s->words[n], n, 1, 1};
	return true;
}

pa_receivers *pa_receivers_at(pa_function *f, int32_t point) {
	pa_receivers *r = f == NULL ? NULL : calloc(1, sizeof *r);
	if (r == NULL) return NULL;
	r->of = f;
	r->point = point;
	r->trained = in_archive(r);
	if (r->trained || in_site(r)) return keep(f, r);
	free(r);
	return NULL;
}

/* claim_row assigns the first empty row to a class. Rows never become empty again, so two threads with the same class
 * get the same row. The class is stored with release order, so a reader of the class also sees its record. */
static pa_counter *claim_row(const receiver_rows *rows, uint64_t class) {
	for (uint32_t i = 0; class != 0 && i < rows->n; i++) {
		pa_counter *row = &rows->classes[i * (size_t)rows->to_class];
		uint64_t now = pa_load(row);
		if ((now == 0 && atomic_compare_exchange_strong_explicit(
							 row, &now, class, memory_order_release, memory_order_relaxed)) ||
			now == class)
			return &rows->counts[i * (size_t)rows->to_count];
	}
	return NULL;
}

/* row_of returns the counter of a class, or NULL if the class has no row and all rows are taken. */
static inline pa_counter *row_of(const pa_receivers *r, const pa_class *c) {
	const receiver_rows *rows = &r->rows;
	pa_counter *class = rows->classes, *count = rows->counts;
	uint64_t wanted = c == NULL ? 0 : c->_rows[r->trained];
	if (wanted == 0) return NULL;
	for (uint32_t i = rows->n; i > 0; i--) {
		if (atomic_load_explicit(class, memory_order_relaxed) == wanted) return count;
		class += rows->to_class;
		count += rows->to_count;
	}
	return claim_row(rows, wanted);
}

pa_counter *pa_count_class(pa_receivers *r, const pa_class *c) {
	if (r == NULL) return NULL;
	pa_counter *count = row_of(r, c);
	pa_count(count != NULL ? count : r->rows.others, 1);
	return count;
}

/* The count is stored with release order, so that a copy that contains it also contains the class of the row. */
pa_counter *pa_count_class1(pa_receivers *r, const pa_class *c) {
	if (r == NULL) return NULL;
	pa_counter *count = row_of(r, c), *word = count != NULL ? count : r->rows.others;
	atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) + 1, memory_order_release);
	return count;
}

/* class_at returns the loaded class of a row, or NULL. */
static const pa_class *class_at(const pa_receivers *r, uint32_t row) {
	pa_receiver got;
	if (!r->trained) return class_in(&r->rows.classes[row * (size_t)r->rows.to_class]);
	return pa_receiver_at(&r->entry, row, &got) && got.binding == PA_BOUND ? got.bound : NULL;
}

static uint64_t count_at(const pa_receivers *r, uint32_t row) {
	return pa_load(&r->rows.counts[row * (size_t)r->rows.to_count]);
}

bool pa_next_class(const pa_receivers *r, uint32_t *row, const pa_class **c, uint64_t *count) {
	if (r == NULL || row == NULL || c == NULL || count == NULL) return false;
	while (*row < r->rows.n) {
		uint32_t i = (*row)++;
		const pa_class *has = class_at(r, i);
		if (has == NULL) continue;
		*c = has;
		*count = count_at(r, i);
		return true;
	}
	return false;
}

uint64_t pa_other_classes(const pa_receivers *r) {
	if (r == NULL) return 0;
	uint64_t others = pa_load(r->rows.others);
	for (uint32_t i = 0; i < r->rows.n; i++) {
		uint64_t count = class_at(r, i) == NULL ? count_at(r, i) : 0;
		others = count > UINT64_MAX - others ? UINT64_MAX : others + count;
	}
	return others;
}
