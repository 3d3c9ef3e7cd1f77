/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of a method's code that a dump keeps. Those that this run has used come first, then the heavier ones,
 * then those with a higher code id. */
#include "run.h"

enum { DEFAULT_VERSIONS = 8 };

uint32_t pai_bound(const pa_run *r) { return r->vm.versions == 0 ? DEFAULT_VERSIONS : r->vm.versions; }

static uint32_t hash_of(uint64_t code) { return pai_mix(0, code); }

static bool add(choice *c, ranked one) {
	if (c->n == c->room) {
		size_t room = c->room == 0 ? 16 : 2 * c->room;
		ranked *more = realloc(c->list, room * sizeof *more);
		if (more == NULL) return false;
		c->list = more;
		c->room = room;
	}
	c->list[c->n++] = one;
	return pai_insert(c->b, &c->codes, hash_of(one.code), (uint32_t)c->n);
}

typedef struct wanted { const choice *in; uint64_t code; } wanted;

static bool has_code(const void *with, uint32_t ref) {
	const wanted *w = with;
	return w->in->list[ref - 1].code == w->code;
}

/* find returns the version with a code, or NULL. */
static ranked *find(choice *c, uint64_t code) {
	uint32_t ref = pai_find(&c->codes, hash_of(code), has_code, &(wanted){c, code});
	return ref == 0 ? NULL : &c->list[ref - 1];
}

/* begin empties the list for the next method. */
static void begin(choice *c) {
	enum { SMALL = 64 };
	c->n = 0;
	if (c->codes.size > SMALL) pai_free_choice(c);
	else if (c->codes.size > 0) memset(c->codes.slots, 0, c->codes.size * sizeof *c->codes.slots);
	c->codes.used = 0;
}

void pai_free_choice(choice *c) {
	free(c->list);
	free(c->codes.slots);
	c->list = NULL;
	c->n = 0;
	c->room = 0;
	c->codes = (ref_index){0};
}

/* ---- what is known of a version ---- */

/* weigh_profile returns the sum of the counts of a profile. */
static uint64_t weigh_profile(pa_profile *p) {
	pa_summary s;
	pa_entry entry;
	slots list[MAX_SLOTS];
	if (pai_may_have_counts(p)) pa_claim(p);
	pa_summarize(p, &s);
	uint64_t all = s.invocations;
	for (pa_entries it = pa_entries_of(p, PA_DATA); pa_entries_next(&it, &entry);)
		for (unsigned n = pai_counts(&entry, list), i = 0; i < n; i++)
			for (uint32_t k = 0, cell = list[i].first; k < list[i].n; k++, cell += list[i].stride) {
				uint64_t v = pa_cell(&entry, cell);
				if (!pai_is_signed(&entry) || (int64_t)v > 0) all = add_up(all, v);
			}
	return all;
}

/* last_of returns when a version of the archive ran last, or 0 if that is not known. */
static int64_t last_of(const choice *c, pa_ref method, uint64_t code) {
	const pa_table *t = c->times;
	uint32_t low = 0, high = t == NULL ? 0 : t->rows;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint64_t m = pa_table_cell(t, 0, middle);
		if (m < method || (m == method && pa_table_cell(t, 1, middle) < code)) low = middle + 1;
		else high = middle;
	}
	if (t != NULL && low < t->rows && pa_table_cell(t, 0, low) == method && pa_table_cell(t, 1, low) == code)
		return (int64_t)pa_table_cell(t, 2, low);
	return pa_info_of(c->run->archive)->dump_time;
}

static int compare(const void *x, const void *y) {
	const ranked *a = *(ranked *const *)x, *b = *(ranked *const *)y;
	if (a->used != b->used) return a->used ? -1 : 1;
	if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
	return (a->code < b->code) - (a->code > b->code);
}

/* drop_least drops the versions after the bound. */
static bool drop_least(choice *c) {
	uint32_t bound = pai_bound(c->run);
	if (c->n <= bound) return true;
	ranked **order = malloc(c->n * sizeof *order);
	if (order == NULL) return false;
	for (size_t i = 0; i < c->n; i++) order[i] = &c->list[i];
	qsort(order, c->n, sizeof *order, compare);
	for (size_t i = bound; i < c->n; i++) {
		order[i]->dropped = true;
		if (order[i]->own != NULL) order[i]->own->dropped = true;
	}
	c->dropped += c->n - bound;
	free(order);
	return true;
}

/* ---- versions of a run ---- */

/* add_own adds a version of the run, with its private counts. */
static bool add_own(choice *c, version *v) {
	ranked *known = v->profile == 0 ? NULL : find(c, v->code);
	if (known == NULL) return add(c, (ranked){.own = v, .code = v->code, .used = true});
	known->own = v;
	known->used = true;
	return true;
}

static bool add_all_own(choice *c, const method *m, bool of_checkpoint) {
	for (pa_function *f = m->functions; f != NULL; f = f->same)
		if ((!of_checkpoint || (f->v.touched && f->v.profile == 0)) && !add_own(c, &f->v)) return false;
	for (released *x = m->released; x != NULL; x = x->same) {
		bool in = of_checkpoint ? x->v.touched && x->v.profile == 0 : x->v.epoch == c->run->epoch;
		if (in && !add_own(c, &x->v)) return false;
	}
	return true;
}

static void weigh_own(choice *c) {
	for (size_t i = 0; i < c->n && c->n > pai_bound(c->run); i++)
		if (c->list[i].own != NULL) c->list[i].weight = add_up(c->list[i].weight, pai_weigh(c->run, c->list[i].own));
}

bool pai_choose_others(choice *c, version *const *list, size_t n) {
	bool of_checkpoint = c->run->form == CHECKPOINTS;
	for (size_t i = 0; i < n; i++) {
		method *m = list[i]->method;
		size_t count = of_checkpoint ? m->n_touched : (size_t)m->n_functions + m->n_released;
		if (m->chosen == c->run->dumps || count <= pai_bound(c->run)) continue;
		m->chosen = c->run->dumps;
		begin(c);
		if (!add_all_own(c, m, of_checkpoint)) return false;
		weigh_own(c);
		if (!drop_least(c)) return false;
	}
	return true;
}

/* ---- versions of the archive ---- */

/* add_archived adds the versions of a method of the archive. */
static bool add_archived(choice *c, const pa_method *m) {
	pa_profiles it = pa_profiles_of(c->run->archive, m);
	pa_profile p;
	block b;
	pa_error e;
	while ((e = pa_profiles_next(&it, &p)).code != PA_NOT_FOUND) {
		if (e.code != PA_OK || !pai_block(c->run->archive, place_of(p.at), &b, &e)) continue;
		if (find(c, b.code) != NULL) continue;
		if (!add(c, (ranked){.code = b.code, .last = last_of(c, m->at, b.code)})) return false;
	}
	return true;
}

static void weigh_archived(choice *c, const pa_method *m) {
	pa_profiles it = pa_profiles_of(c->run->archive, m);
	pa_profile p;
	block b;
	pa_error e;
	while ((e = pa_profiles_next(&it, &p)).code != PA_NOT_FOUND) {
		ranked *of = e.code == PA_OK && pai_block(c->run->archive, place_of(p.at), &b, &e) ? find(c, b.code) : NULL;
		if (of != NULL) of->weight = add_up(of->weight, weigh_profile(&p));
	}
}

/* pai_find_own returns the run's method with the key of a method of the archive, or NULL. */
bool pai_find_own(const pa_run *r, const pa_method *m, method **found) {
	pa_key key = m->key;
	char *text = NULL;
	if (key.signature.bytes == NULL && key.signature.size > 0) {
		if ((text = malloc(key.signature.size)) == NULL) return false;
		if (pa_signature(r->archive, m, text, key.signature.size).code != PA_OK) key.signature.size = 0;
		key.signature.bytes = text;
	}
	*found = pai_find_method(r, &key);
	free(text);
	return true;
}

bool pai_choose_of_archive(void *to, const pa_method *m) {
	choice *c = to;
	method *own;
	begin(c);
	if (m->_profiles == 0 && m->contexts == 0) return true;
	if (!add_archived(c, m) || !pai_find_own(c->run, m, &own)) return false;
	if (own != NULL && !add_all_own(c, own, false)) return false;
	if (own != NULL) own->chosen = c->run->dumps;
	c->several = c->n > 1 || (pa_info_of(c->run->archive)->flags & 2) != 0;
	if (c->n <= pai_bound(c->run)) return true;
	weigh_archived(c, m);
	weigh_own(c);
	return drop_least(c);
}

bool pai_keeps_version(void *to, uint64_t code) {
	const ranked *v = find(to, code);
	return v == NULL || !v->dropped;
}

bool pai_list_versions(void *to, uint32_t method) {
	static const uint8_t columns[] = {PA_COLUMN_METHOD, PA_COLUMN_WORD, PA_COLUMN_WORD};
	choice *c = to;
	for (size_t i = 0; i < c->n; i++) {
		const ranked *v = &c->list[i];
		if (v->used || v->dropped || !c->several) continue;
		pa_declare_table(c->b, PA_TABLE_VERSIONS, 0, columns, sizeof columns);
		pa_record_row(c->b, PA_TABLE_VERSIONS, (uint64_t[]){method, v->code, (uint64_t)v->last}, 3);
	}
	return sound(c->b);
}
