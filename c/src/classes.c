/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The methods of each class. An archive sorts methods by their keys, which begin with the class name but not with the
 * loader, and stores unexecuted methods separately. The first query groups the methods by class.
 */
#include <stdlib.h>

#include "internal.h"

/*
 * The groups are one array. It begins with the start of each type's methods, then the start of the methods without a
 * class, then the total. The references of the methods follow.
 */
static size_t heads_of(const pa_archive *a) { return (size_t)a->info.types + 2; }

static size_t group_of(const pa_archive *a, uint64_t holder) {
	return holder == 0 ? (size_t)a->info.types : (size_t)((holder - a->section[TYPES].at) / TYPE);
}

/* each_method counts the methods of each group. If to is not NULL, it also stores them at the positions in counts. */
static bool each_method(const pa_archive *a, uint32_t *counts, pa_ref *to, pa_error *e) {
	record r;
	pa_methods it = pa_methods_of(a);
	for (; pai_peek_record(&it, &r, e); pai_skip_record(&it, &r)) {
		if (r.holder != 0 && !is_row(a->section[TYPES], r.holder, TYPE))
			return pai_damage(a, e, r.at, "a method of no class");
		uint32_t *count = &counts[group_of(a, r.holder)];
		if (to != NULL) to[*count] = ref_of(r.at);
		++*count;
	}
	if (e->code != PA_NOT_FOUND) return false;
	*e = pai_none();
	return true;
}

/* add_up turns counts into start positions and returns the total. */
static size_t add_up(uint32_t *counts, size_t n) {
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		size_t methods = counts[i];
		counts[i] = (uint32_t)at;
		at += methods;
	}
	return at;
}

static uint32_t *make(const pa_archive *a, pa_error *e) {
	size_t heads = heads_of(a), n;
	uint32_t *groups = calloc(heads, sizeof *groups), *all;
	if (groups == NULL) {
		pai_system(e, "no memory for the methods of classes");
		return NULL;
	}
	if (!each_method(a, groups, NULL, e)) {
		free(groups);
		return NULL;
	}
	n = add_up(groups, heads);
	all = n > SIZE_MAX / sizeof *groups - heads ? NULL : realloc(groups, (heads + n) * sizeof *groups);
	if (all == NULL) {
		free(groups);
		errno = ENOMEM;
		pai_system(e, "no memory for the methods of classes");
		return NULL;
	}
	if (!each_method(a, all, all + heads, e)) {
		free(all);
		return NULL;
	}
	memmove(all + 1, all, (heads - 1) * sizeof *all); /* after filling, each start equals the start of the next group */
	all[0] = 0;
	return all;
}

/* groups_of returns the groups of an archive. Threads that ask at the same time may each build them, and one result is
 * kept. */
static const uint32_t *groups_of(const pa_archive *a, pa_error *e) {
	uint32_t *now = atomic_load_explicit(&a->live->groups, memory_order_acquire), *made;
	if (now != NULL || (made = make(a, e)) == NULL) return now;
	if (atomic_compare_exchange_strong(&a->live->groups, &now, made)) return made;
	free(made);
	return now;
}

pa_class_methods pa_class_methods_of(const pa_archive *a, uint32_t type) { return (pa_class_methods){a, type, 0, 0}; }

pa_error pa_class_methods_next(pa_class_methods *it, pa_method *m) {
	pa_error e = pai_none();
	record r;
	pa_method got;
	if (!pai_given(it != NULL && it->_archive != NULL && m != NULL, &e)) return e;
	const pa_archive *a = it->_archive;
	size_t group = it->_class == PA_NO_TYPE ? (size_t)a->info.types : it->_class;
	if (group > a->info.types || (group == a->info.types && it->_class != PA_NO_TYPE)) {
		pai_fail(&e, PA_NOT_FOUND, "the archive has no method of the type");
		return e;
	}
	const uint32_t *groups = groups_of(a, &e);
	if (groups == NULL) return e;
	if (it->_next >= groups[group + 1] - groups[group]) {
		pai_fail(&e, PA_NOT_FOUND, "no more methods");
		return e;
	}
	uint64_t at = place_of(groups[heads_of(a) + groups[group] + it->_next]);
	bool ok = inside(a->section[NEVER_RAN], at, 8) ? pai_row_at(a, at, &r, &e) : pai_record(a, at, &r, &e);
	if (!ok || !pai_method(a, &r, &got, &e) || !pai_spend_key(a, &it->_text, &r, &got, &e)) return e;
	it->_next++;
	*m = got;
	return e;
}
