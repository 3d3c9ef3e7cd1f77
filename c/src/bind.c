/* SPDX-License-Identifier: Apache-2.0 */
/* Types of this process. They are types of the archive bound to classes, and late types, which the archive lacks. */
#include <stdlib.h>

#include "internal.h"

/* ---- addresses ---- */

static uint64_t base_of(const pa_archive *a) { return (uint64_t)(uintptr_t)a->live->base; }

static uint32_t late_count(const pa_archive *a) {
	return atomic_load_explicit(&a->live->late_count, memory_order_acquire);
}

static bool has_type(const pa_archive *a, uint32_t type) {
	return type < a->info.types || type - a->info.types < late_count(a);
}

uint64_t pai_address(const pa_archive *a, uint32_t type) {
	if (type < a->info.types) return base_of(a) + a->section[TYPES].at + TYPE * (uint64_t)type;
	return has_type(a, type) ? base_of(a) + a->live->late_at + TYPE * (type - a->info.types) : 0;
}

uint32_t pai_ordinal(const pa_archive *a, uint64_t address) {
	uint64_t at = address - base_of(a);
	span late = {a->live->late_at, TYPE * (uint64_t)late_count(a)};
	if (is_row(a->section[TYPES], at, TYPE)) return (uint32_t)((at - a->section[TYPES].at) / TYPE);
	return is_row(late, at, TYPE) ? (uint32_t)(a->info.types + (at - late.at) / TYPE) : PA_NO_TYPE;
}

/* ---- binding ---- */

static const char excluded; /* its address represents the class of an excluded type */

static void *const excluded_class = (void *)(uintptr_t)&excluded;

static _Atomic(void *) *classes_of(const pa_archive *a) {
	return atomic_load_explicit(&a->live->classes, memory_order_acquire);
}

/* make_classes allocates the table of classes at the first bind. */
static bool make_classes(pa_archive *a, pa_error *e) {
	if (classes_of(a) != NULL) return true;
	_Atomic(void *) *none = NULL;
	_Atomic(void *) *made = calloc((size_t)a->info.types + MAX_LATE, sizeof *made);
	if (made == NULL) return pai_system(e, "no memory for the classes of types");
	if (!atomic_compare_exchange_strong(&a->live->classes, &none, made)) free(made);
	return true;
}

pa_error pa_bind(pa_archive *a, uint32_t type, void *to) {
	pa_error e = pai_none();
	void *now = NULL;
	if (!pai_given(a != NULL, &e)) return e;
	if (to == NULL || to == excluded_class) {
		pai_fail(&e, PA_ARGUMENT, "a type is bound to a class, not to NULL");
		return e;
	}
	if (!has_type(a, type)) {
		pai_fail(&e, PA_NOT_FOUND, "no type has this ordinal");
		return e;
	}
	if (!make_classes(a, &e)) return e;
	if (!atomic_compare_exchange_strong(&classes_of(a)[type], &now, to) && now != to)
		pai_fail(
			&e, PA_AMBIGUOUS, now == excluded_class ? "the type is excluded" : "the type is bound to another class");
	return e;
}

pa_error pa_exclude(pa_archive *a, uint32_t type) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL, &e)) return e;
	if (!has_type(a, type)) {
		pai_fail(&e, PA_NOT_FOUND, "no type has this ordinal");
		return e;
	}
	if (make_classes(a, &e)) atomic_store(&classes_of(a)[type], excluded_class);
	return e;
}

pa_binding pa_bound(const pa_archive *a, uint32_t type, void **to) {
	_Atomic(void *) *classes = a == NULL ? NULL : classes_of(a);
	void *now =
		classes != NULL && has_type(a, type) ? atomic_load_explicit(&classes[type], memory_order_acquire) : NULL;
	pa_binding state = now == NULL ? PA_UNBOUND : now == excluded_class ? PA_EXCLUDED : PA_BOUND;
	if (to != NULL) *to = state == PA_BOUND ? now : NULL;
	return state;
}

/* ---- late types ---- */

enum { INDEX = 2 * MAX_LATE };

static pa_text late_name(const late_type *t) { return (pa_text){t->text, t->name}; }
static pa_text late_loader(const late_type *t) { return (pa_text){t->text + t->name, t->loader}; }

bool pai_late_get(const pa_archive *a, uint32_t ordinal, pa_type *type) {
	if (adopted(a) == NULL || ordinal < a->info.types || !has_type(a, ordinal)) return false;
	const late_type *t = &a->live->late[ordinal - a->info.types];
	uint64_t id = pai_fold(pai_fold(pai_fold_start(), late_name(t)), late_loader(t));
	*type = (pa_type){ordinal, 0, id, late_name(t), late_loader(t), {"", 0}};
	return true;
}

static bool possible(pa_text t, pa_error *e) {
	if (t.size > MAX_NAME) return pai_fail(e, PA_TOO_LARGE, "a name of more than 1 MiB");
	return t.size == 0 || memchr(t.bytes, 0, t.size) == NULL || pai_fail(e, PA_ARGUMENT, "a name has a NUL byte");
}

/* late_slot returns the slot of a late type in the index, or the free slot for it. */
static uint32_t *late_slot(live *l, pa_text name, pa_text loader) {
	for (uint64_t i = pai_keyed_hash(pai_keyed_hash(0, name), loader) % INDEX;; i = (i + 1) % INDEX) {
		uint32_t n = l->late_index[i];
		if (n == 0 || (same_text(late_name(&l->late[n - 1]), name) && same_text(late_loader(&l->late[n - 1]), loader)))
			return &l->late_index[i];
	}
}

/* add makes the next late type. It writes the record before it raises the count, so readers find complete records. */
static bool add(live *l, uint64_t id, pa_text name, pa_text loader, uint32_t *at, pa_error *e) {
	uint32_t n = atomic_load(&l->late_count);
	if (n == MAX_LATE) return pai_fail(e, PA_TOO_LARGE, "too many types that the archive does not know");
	char *text = malloc(name.size + loader.size + 1);
	if (text == NULL) return pai_system(e, "no memory for a name");
	if (name.size > 0) memcpy(text, name.bytes, name.size);
	if (loader.size > 0) memcpy(text + name.size, loader.bytes, loader.size);
	l->late[n] = (late_type){text, (uint32_t)name.size, (uint32_t)loader.size};
	memcpy(l->base + l->late_at + TYPE * (uint64_t)n, &id, sizeof id);
	*at = n + 1;
	atomic_store_explicit(&l->late_count, n + 1, memory_order_release);
	return true;
}

static bool intern(const pa_archive *a, live *l, pa_text name, pa_text loader, uint32_t *ordinal, pa_error *e) {
	uint64_t id = pai_fold(pai_fold(pai_fold_start(), name), loader);
	if (l->late_index == NULL && (l->late_index = calloc(INDEX, sizeof *l->late_index)) == NULL)
		return pai_system(e, "no memory for late types");
	uint32_t *at = late_slot(l, name, loader);
	if (*at == 0 && !add(l, id, name, loader, at, e)) return false;
	*ordinal = (uint32_t)a->info.types + *at - 1;
	return true;
}

pa_error pa_late_type(pa_archive *a, pa_text name, pa_text loader, uint32_t *ordinal) {
	pa_error e = pa_find_type(a, name, loader, ordinal);
	if (e.code != PA_NOT_FOUND) return e;
	live *l = adopted(a);
	e = pai_none();
	if (l == NULL) {
		pai_fail(&e, PA_NOT_ADOPTED, "only an adopted archive takes types");
		return e;
	}
	if (!possible(name, &e) || !possible(loader, &e)) return e;
	pthread_mutex_lock(&l->lock);
	intern(a, l, name, loader, ordinal, &e);
	pthread_mutex_unlock(&l->lock);
	return e;
}

void pai_live_free(live *l) {
	for (uint32_t i = 0; i < atomic_load(&l->late_count); i++) free(l->late[i].text);
	pai_unmap_again(l);
	pthread_mutex_destroy(&l->lock);
	free(l->late);
	free(l->late_index);
	free(l->claims);
	free(l->chunks);
	free(l->pages);
	free(atomic_load(&l->classes));
	free(atomic_load(&l->groups));
	free(atomic_load(&l->crowded));
	free(l);
}
