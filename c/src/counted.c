/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of an adopted archive at the last checkpoint. A copy reads each count once, and uses the value both for the
 * dump and as the start of the next one. */
#include "run.h"

static counted_block *slot_of(counted_block *slots, size_t size, pa_ref at) {
	size_t i = (at * 0x9e3779b1u) & (size - 1);
	while (slots[i].at != 0 && slots[i].at != at) i = (i + 1) & (size - 1);
	return &slots[i];
}

static counted_block *find(const counted *k, pa_ref at) {
	return k->size == 0 ? NULL : slot_of(k->slots, k->size, at);
}

static bool grow(counted *k) {
	size_t size = k->size == 0 ? 64 : 2 * k->size;
	if (2 * k->used < k->size) return true;
	counted_block *slots = calloc(size, sizeof *slots);
	if (slots == NULL) return false;
	for (size_t i = 0; i < k->size; i++)
		if (k->slots[i].at != 0) *slot_of(slots, size, k->slots[i].at) = k->slots[i];
	free(k->slots);
	k->slots = slots;
	k->size = size;
	return true;
}

static counted_block *add(counted *k, const pa_profile *p) {
	if (!grow(k)) return NULL;
	counted_block *b = slot_of(k->slots, k->size, p->at);
	if (b->at == 0) {
		*b = (counted_block){.at = p->at, .units = p->units};
		k->used++;
	}
	return b;
}

uint64_t pai_counted(const counted *k, const pa_profile *p, uint64_t offset) {
	const counted_block *b = k == NULL ? NULL : find(k, p->at);
	return b != NULL && b->kept != NULL ? b->kept[offset / 8] : get64(p->bytes + offset);
}

bool pai_note_counted(counted *k, const pa_profile *p, uint64_t offset, uint64_t count) {
	counted_block *b = add(k, p);
	if (b == NULL) return false;
	if (b->next == NULL) {
		b->next = malloc(8 * (size_t)b->units);
		if (b->next == NULL) return false;
		for (uint32_t i = 0; i < b->units; i++) b->next[i] = pai_counted(k, p, 8 * (uint64_t)i);
	}
	b->next[offset / 8] = count;
	return true;
}

bool pai_note_all_counted(counted *k, const pa_profile *p) {
	for (uint32_t i = 0; i < p->units; i++)
		if (!pai_note_counted(k, p, 8 * (uint64_t)i,
				atomic_load_explicit((pa_counter *)(void *)(p->live + 8 * (uint64_t)i), memory_order_acquire)))
			return false;
	return true;
}

void pai_keep_counted(counted *k) {
	for (size_t i = 0; i < k->size; i++)
		if (k->slots[i].next != NULL) {
			free(k->slots[i].kept);
			k->slots[i].kept = k->slots[i].next;
			k->slots[i].next = NULL;
		}
}

void pai_drop_counted(counted *k) {
	for (size_t i = 0; i < k->size; i++) {
		free(k->slots[i].next);
		k->slots[i].next = NULL;
	}
}

void pai_free_counted(counted *k) {
	for (size_t i = 0; i < k->size; i++) {
		free(k->slots[i].kept);
		free(k->slots[i].next);
	}
	free(k->slots);
	*k = (counted){0};
}
