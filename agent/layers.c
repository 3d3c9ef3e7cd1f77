//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "layers.h"

#include <stdlib.h>
#include <string.h>

#include "search.h"

/* ---- identities of loaders ---- */

bool text_is(pa_text text, const char *s) { return text.size == strlen(s) && memcmp(text.bytes, s, text.size) == 0; }
bool is_builtin_loader(pa_text loader) {
	return loader.size == 0 || text_is(loader, "platform") || text_is(loader, "app");
}

/* base_of returns the identity of a loader without its anchor ("@" and 16 digits) or its number ("#" and digits). */
static pa_text base_of(pa_text loader) {
	size_t n = loader.size;
	while (n > 0 && loader.bytes[n - 1] != '@' && loader.bytes[n - 1] != '#' && loader.bytes[n - 1] != ']') n--;
	if (n > 1 && loader.bytes[n - 1] != ']') loader.size = n - 1;
	return loader;
}

int compare_texts(pa_text a, pa_text b) {
	size_t n = a.size < b.size ? a.size : b.size;
	int order = n == 0 ? 0 : memcmp(a.bytes, b.bytes, n);
	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* ---- types of other loaders ---- */

typedef struct other { pa_text name, base; uint32_t type; } other;

static int compare_others(const void *x, const void *y) {
	const other *a = x, *b = y;
	int order = compare_texts(a->name, b->name);
	if (order == 0) order = compare_texts(a->base, b->base);
	return order != 0 ? order : (a->type > b->type) - (a->type < b->type);
}

/* collect lists the types of other loaders. Their names point into the archive. */
static bool collect(const layer *t, other *list, uint32_t *n, pa_error *e) {
	pa_types it = pa_types_of(t->archive);
	pa_type type;
	for (*n = 0; (*e = pa_types_next(&it, &type)).code == PA_OK;)
		if (!is_builtin_loader(type.loader)) list[(*n)++] = (other){type.name, base_of(type.loader), type.ordinal};
	return e->code == PA_NOT_FOUND;
}

/* fold makes one class of the n types at list, which have the same name and base. */
static bool fold(layer *t, const other *list, uint32_t n) {
	other_class *c = &t->others[t->n_others++];
	*c = (other_class){.type = list[0].type, .first_method = t->folded.n};
	if (n == 1) return true;
	uint32_t *types = malloc(n * sizeof *types);
	for (uint32_t i = 0; types != NULL && i < n; i++) {
		types[i] = list[i].type;
		t->same[list[i].type] = c->type;
	}
	bool ok = types != NULL && folded_add(&t->folded, t, types, n);
	c->methods = t->folded.n - c->first_method;
	free(types);
	return ok;
}

static bool fold_all(layer *t, const other *list, uint32_t n) {
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && compare_texts(list[i].name, list[end].name) == 0 &&
			compare_texts(list[i].base, list[end].base) == 0; end++) {}
		if (!fold(t, list + i, end - i)) return false;
	}
	return true;
}

static bool index_others(layer *t, pa_error *e) {
	uint32_t n = 0;
	other *list = malloc((t->types + 1) * sizeof *list);
	t->same = malloc((t->types + 1) * sizeof *t->same);
	bool ok = list != NULL && t->same != NULL && collect(t, list, &n, e);
	for (uint32_t i = 0; ok && i < t->types; i++) t->same[i] = i;
	t->others = ok ? malloc((n + 1) * sizeof *t->others) : NULL;
	if (t->others != NULL) {
		qsort(list, n, sizeof *list, compare_others);
		ok = fold_all(t, list, n);
	}
	free(list);
	return ok && t->others != NULL;
}

/* compare_other compares a class of other loaders with a class. */
static int compare_other(const layer *t, uint32_t i, const class_name *class) {
	pa_type type;
	if (pa_type_get(t->archive, t->others[i].type, &type).code != PA_OK) return -1;
	int order = compare_texts(type.name, class->name);
	return order != 0 ? order : compare_texts(base_of(type.loader), class->loader);
}

static bool is_other_before(const void *t, uint32_t i, const void *class) { return compare_other(t, i, class) < 0; }

uint32_t layer_find_class(const layer *t, const class_name *class, folded *methods) {
	uint32_t type;
	*methods = (folded){0};
	if (class->builtin)
		return pa_find_type(t->archive, class->name, class->loader, &type).code == PA_OK ? type : PA_NO_TYPE;
	uint32_t i = search_first(t, t->n_others, class, is_other_before);
	if (i >= t->n_others || compare_other(t, i, class) != 0) return PA_NO_TYPE;
	const other_class *c = &t->others[i];
	*methods = (folded){.list = t->folded.list + c->first_method, .n = c->methods};
	return c->type;
}

/* ---- methods ---- */

bool layer_has_profile(const layer *t, const pa_method *m) {
	pa_profiles it = pa_profiles_of(t->archive, m);
	pa_profile p;
	return (m->flags & (PA_METHOD_UNEXECUTED | PA_METHOD_NOT_MATCHABLE)) == 0 &&
		pa_profiles_next(&it, &p).code == PA_OK;
}

/* ---- layers ---- */

static void close_archive(layer *t) {
	free(t->others);
	free(t->same);
	free(t->folded.list);
	pa_close(t->archive);
	image_free(&t->image);
	*t = (layer){0};
}

static pa_error open_archive(layer *t, const char *path) {
	static const pa_error no_memory = {.code = PA_SYSTEM, .message = "the process is out of memory"};
	pa_options options = {.domain = PA_HOTSPOT};
	pa_error e = image_read(&t->image, path);
	if (e.code == PA_OK) e = pa_open_memory(t->image.bytes, t->image.size, &options, &t->archive);
	if (e.code != PA_OK) {
		close_archive(t);
		return e;
	}
	uint64_t types = pa_info_of(t->archive)->types;
	t->types = (uint32_t)types;
	if (types >= UINT32_MAX / MOST_LAYERS || !index_others(t, &e)) {
		close_archive(t);
		return e.code == PA_OK || e.code == PA_NOT_FOUND ? no_memory : e;
	}
	return (pa_error){.code = PA_OK, .message = ""};
}

/* push adds an archive below the open layers. */
static void push(layers *l, layer t) {
	t.number = l->n;
	t.first_type = l->types;
	l->types += t.types;
	l->list[l->n++] = t;
}

pa_error layers_open(layers *l, const char *path) {
	layer t = {0};
	pa_error e = open_archive(&t, path);
	if (e.code == PA_OK) push(l, t);
	return e;
}

pa_error layers_add(layers *l, const char *path) {
	layer t = {0};
	if (path == NULL) return pa_fits_on(l->list[l->n - 1].archive, NULL);
	pa_error e = open_archive(&t, path);
	if (e.code != PA_OK) return e;
	e = pa_fits_on(l->list[l->n - 1].archive, t.archive);
	if (e.code == PA_OK) e = pa_fits_on(t.archive, NULL);
	if (e.code == PA_OK) push(l, t);
	else close_archive(&t);
	return e;
}

layer_method layers_method(const layers *l, pa_ref method) {
	const layer *top = &l->list[0];
	pa_method m, in;
	if (pa_table_method(top->archive, method, &m).code != PA_OK || layer_has_profile(top, &m))
		return layer_method_of(top, method);
	for (const layer *t = top + 1; t < l->list + l->n; t++)
		if (pa_find_method(t->archive, &m.key, &in).code == PA_OK && layer_has_profile(t, &in))
			return layer_method_of(t, in.at);
	return layer_method_of(top, method);
}
