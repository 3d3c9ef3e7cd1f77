//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "folded.h"

#include <stdlib.h>

#include "layers.h"
#include "lists.h"

typedef struct candidate {
	pa_text name, signature;
	uint64_t code, invocations;
	pa_ref method;
} candidate;

typedef struct candidates { candidate *list; uint32_t n, room; } candidates;

static int compare_methods(const candidate *a, const candidate *b) {
	int order = compare_texts(a->name, b->name);
	return order != 0 ? order : compare_texts(a->signature, b->signature);
}

static int compare_codes(const candidate *a, const candidate *b) {
	int order = compare_methods(a, b);
	return order != 0 ? order : (a->code > b->code) - (a->code < b->code);
}

/* compare orders the heaviest candidate of a method and code first. */
static int compare(const void *x, const void *y) {
	const candidate *a = x, *b = y;
	int order = compare_codes(a, b);
	if (order == 0) order = (a->invocations < b->invocations) - (a->invocations > b->invocations);
	return order != 0 ? order : (a->method > b->method) - (a->method < b->method);
}

static bool add_profiles(candidates *to, const pa_archive *archive, const pa_method *m) {
	pa_profiles it = pa_profiles_of(archive, m);
	pa_profile p;
	pa_summary s;
	pa_error e;
	while ((e = pa_profiles_next(&it, &p)).code == PA_OK) {
		pa_summarize(&p, &s);
		if (s.context != 0) continue;
		if (!list_grow((void **)&to->list, to->n + 1, &to->room, sizeof *to->list)) return false;
		to->list[to->n++] = (candidate){m->key.name, m->key.signature, s.code, s.invocations, m->at};
	}
	return e.code == PA_NOT_FOUND;
}

static bool add_type(candidates *to, const layer *t, uint32_t type) {
	pa_class_methods it = pa_class_methods_of(t->archive, type);
	pa_method m;
	pa_error e;
	while ((e = pa_class_methods_next(&it, &m)).code == PA_OK)
		if (layer_has_profile(t, &m) && m.key.signature.bytes != NULL && !add_profiles(to, t->archive, &m))
			return false;
	return e.code == PA_NOT_FOUND;
}

/* keep_heaviest appends the first candidate of each method and code. */
static bool keep_heaviest(folded *to, const candidates *from) {
	if (!list_grow((void **)&to->list, to->n + from->n, &to->room, sizeof *to->list)) return false;
	for (uint32_t i = 0; i < from->n; i++) {
		const candidate *c = &from->list[i];
		if (i > 0 && compare_codes(c - 1, c) == 0) continue;
		if (i > 0 && compare_methods(c - 1, c) == 0) to->list[to->n - 1].more = true;
		to->list[to->n++] = (folded_method){.method = c->method};
	}
	return true;
}

bool folded_add(folded *to, const layer *t, const uint32_t *types, uint32_t n) {
	candidates all = {0};
	bool ok = true;
	for (uint32_t i = 0; ok && i < n; i++) ok = add_type(&all, t, types[i]);
	if (ok && all.n > 0) {
		qsort(all.list, all.n, sizeof *all.list, compare);
		ok = keep_heaviest(to, &all);
	}
	free(all.list);
	return ok;
}
