//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "attach.h"

#include <pthread.h>

#include "lists.h"

typedef struct klasses { const vm_klass **list; uint32_t n, room; } klasses;

static struct {
	pthread_mutex_t lock;
	bool attaching;
	klasses loaded, told;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

void attach_begin(void) { __atomic_store_n(&all.attaching, true, __ATOMIC_RELEASE); }
void attach_end(void) { __atomic_store_n(&all.attaching, false, __ATOMIC_RELEASE); }

static bool has(const klasses *k, const vm_klass *klass) {
	for (uint32_t i = 0; i < k->n; i++)
		if (k->list[i] == klass) return true;
	return false;
}

/* add adds a class if memory permits. Without it, an existing MethodData counts as refused. */
static void add(klasses *k, const vm_klass *klass) {
	if (list_grow((void **)&k->list, k->n + 1, &k->room, sizeof *k->list)) k->list[k->n++] = klass;
}

bool attach_is_first(const vm_klass *klass, bool loaded) {
	if (!__atomic_load_n(&all.attaching, __ATOMIC_ACQUIRE)) return true;
	pthread_mutex_lock(&all.lock);
	bool first = !has(loaded ? &all.told : &all.loaded, klass);
	if (first) add(loaded ? &all.loaded : &all.told, klass);
	pthread_mutex_unlock(&all.lock);
	return first;
}
