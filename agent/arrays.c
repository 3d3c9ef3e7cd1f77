//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "arrays.h"

#include <pthread.h>
#include <stdlib.h>

#include "receivers.h"
#include "search.h"

/* An array type of the archive. The class of its elements need not be in the archive. */
typedef struct array {
	pa_text element, loader; /* a class, or the letter of a primitive type */
	bool primitive;
	uint32_t type, dimensions;
	const vm_klass
		*known; /* class of its elements, or one-dimensional array of the primitive type; NULL if not seen yet */
} array;

static struct {
	const vm *vm;
	pthread_mutex_t lock;
	array *list; /* sorted */
	uint32_t n;
	uint32_t *awaited, n_awaited; /* indexes of arrays whose elements are known but that are not bound yet */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the archive ---- */

static int compare(const void *x, const void *y) {
	const array *a = x, *b = y;
	int order = a->primitive - b->primitive;
	if (order == 0) order = compare_texts(a->element, b->element);
	return order != 0 ? order : compare_texts(a->loader, b->loader);
}

/* parse determines the element type of an array type of an archive. */
static bool parse(const pa_type *t, array *a) {
	pa_text name = t->name;
	*a = (array){.loader = t->loader};
	for (; name.size > 0 && *name.bytes == '['; name.bytes++, name.size--) a->dimensions++;
	a->primitive = name.size == 1;
	a->element = a->primitive ? name : (pa_text){name.bytes + 1, name.size - 2};
	return a->dimensions > 0 && (a->primitive || (name.size > 2 && *name.bytes == 'L'));
}

/* collect adds the array types of an archive. */
static void collect(const layer *t) {
	pa_types it = pa_types_of(t->archive);
	pa_type type;
	for (uint32_t i = 0; i < t->types && pa_types_next(&it, &type).code == PA_OK; i++)
		if (is_builtin_loader(type.loader) && parse(&type, &all.list[all.n]))
			all.list[all.n++].type = t->first_type + type.ordinal;
}

bool arrays_open(const vm *v, const layers *l) {
	all.vm = v;
	all.list = malloc((l->types + 1) * sizeof *all.list);
	for (uint32_t i = 0; all.list != NULL && i < l->n; i++) collect(&l->list[i]);
	all.awaited = malloc((all.n + 1) * sizeof *all.awaited);
	if (all.list == NULL || all.awaited == NULL) return false;
	qsort(all.list, all.n, sizeof *all.list, compare);
	return true;
}

/* ---- the VM ---- */

static bool is_array_before(const void *list, uint32_t i, const void *like) {
	return compare((const array *)list + i, like) < 0;
}

/* add_elements sets the element class of the arrays equal to like. */
static void add_elements(const array *like, const vm_klass *k) {
	uint32_t i = search_first(all.list, all.n, like, is_array_before);
	if (i == all.n || compare(&all.list[i], like) != 0) return;
	pthread_mutex_lock(&all.lock);
	for (; i < all.n && compare(&all.list[i], like) == 0; i++) {
		if (all.list[i].known != NULL) continue;
		all.list[i].known = k;
		all.awaited[all.n_awaited++] = i;
	}
	pthread_mutex_unlock(&all.lock);
}

void arrays_prepared(const class_name *name, const vm_klass *k) {
	add_elements(&(array){.element = name->name, .loader = name->loader}, k);
}

void arrays_begin(const vm_klass *of_boot_loader) {
	enum { MOST = 1 << 22 };
	const vm *v = all.vm;
	const vm_klass *k = vm_pointer(vm_klass_loader(v, of_boot_loader), v->loader.klasses);
	for (uint32_t i = 0; k != NULL && i < MOST; k = vm_pointer(k, v->loader.next), i++) {
		const vm_symbol *name = vm_klass_name(v, k);
		const char *text = name == NULL || vm_symbol_size(v, name) != 2 ? NULL : (const char *)vm_symbol_bytes(v, name);
		if (text != NULL && text[0] == '[')
			add_elements(&(array){.element = {text + 1, 1}, .loader = {"", 0}, .primitive = true}, k);
	}
}

/* klass_of returns the class of an array with known elements, or NULL if the VM has made none. */
static const vm_klass *klass_of(const array *a) {
	const vm_klass *k = a->primitive ? a->known : vm_pointer(a->known, all.vm->klass.arrays);
	for (uint32_t i = 1; i < a->dimensions && k != NULL; i++) k = vm_pointer(k, all.vm->klass.higher);
	return k;
}

/* look_at binds an array type if its class exists now. */
static bool look_at(jni_env *jni, const array *a) {
	const vm_klass *k = klass_of(a);
	if (k != NULL) receivers_prepared(jni, a->type, &(prepared){.klass = k, .permanent = true});
	return k != NULL;
}

void arrays_look(jni_env *jni) {
	if (pthread_mutex_trylock(&all.lock) != 0) return; /* another thread is looking */
	for (uint32_t i = all.n_awaited; i-- > 0;)
		if (look_at(jni, &all.list[all.awaited[i]])) all.awaited[i] = all.awaited[--all.n_awaited];
	pthread_mutex_unlock(&all.lock);
}
