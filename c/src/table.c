/* SPDX-License-Identifier: Apache-2.0 */
/* Hash tables of structs that begin with their hash, with open addressing. */
#include "run.h"

static char removed; /* its address marks a slot whose item was removed */

static uint64_t hash_of(const void *item) {
	uint64_t hash;
	memcpy(&hash, item, sizeof hash);
	return hash;
}

bool pai_is_item(const void *slot) { return slot != NULL && slot != &removed; }

void **pai_find_slot(
	const table *t, uint64_t hash, bool (*same)(const void *item, const void *with), const void *with) {
	if (t->size == 0) return NULL;
	for (size_t i = (size_t)hash & (t->size - 1); t->slots[i] != NULL; i = (i + 1) & (t->size - 1)) {
		void *item = t->slots[i];
		if (item != &removed && hash_of(item) == hash && same(item, with)) return &t->slots[i];
	}
	return NULL;
}

static void put(void **slots, size_t size, void *item) {
	size_t i = (size_t)hash_of(item) & (size - 1);
	while (slots[i] != NULL) i = (i + 1) & (size - 1);
	slots[i] = item;
}

/* make_room keeps a quarter of the slots free. */
static bool make_room(table *t) {
	size_t size = 64;
	if (4 * (t->used + 1) <= 3 * t->size) return true;
	while (3 * size < 5 * (t->live + 1)) size *= 2;
	void **slots = calloc(size, sizeof *slots);
	if (slots == NULL) return false;
	for (size_t i = 0; i < t->size; i++)
		if (pai_is_item(t->slots[i])) put(slots, size, t->slots[i]);
	free(t->slots);
	t->slots = slots;
	t->size = size;
	t->used = t->live;
	return true;
}

bool pai_add_item(table *t, void *item) {
	if (!make_room(t)) return false;
	put(t->slots, t->size, item); /* a slot of a removed item is not used again before the table is made anew */
	t->used++;
	t->live++;
	return true;
}

static bool is_same(const void *item, const void *with) { return item == with; }

void pai_remove_item(table *t, const void *item) {
	void **slot = pai_find_slot(t, hash_of(item), is_same, item);
	if (slot == NULL) return;
	*slot = &removed;
	t->live--;
}

void pai_replace_item(table *t, const void *item, void *by) {
	void **slot = pai_find_slot(t, hash_of(item), is_same, item);
	if (slot != NULL) *slot = by;
}
