/* SPDX-License-Identifier: Apache-2.0 */
/* Containers of a builder, which are growing buffers, a hash index and a stable sort. */
#include "build.h"

/* ---- buffers ---- */

static bool make_room(pa_builder *b, buffer *u, size_t size) {
	if (size <= u->room - u->size) return true;
	if (size > SIZE_MAX / 2 - u->size) return pai_no_memory(b);
	size_t room = u->size + size > 2 * u->room ? u->size + size : 2 * u->room;
	uint8_t *bytes = realloc(u->bytes, room < 64 ? 64 : room);
	if (bytes == NULL) return pai_no_memory(b);
	u->bytes = bytes;
	u->room = room < 64 ? 64 : room;
	return true;
}

void *pai_extend(pa_builder *b, buffer *u, size_t size) {
	if (!make_room(b, u, size)) return NULL;
	u->size += size;
	if (size > 0) memset(u->bytes + u->size - size, 0, size);
	return u->bytes + u->size - size;
}

bool pai_append(pa_builder *b, buffer *u, const void *bytes, size_t size) {
	if (!make_room(b, u, size)) return false;
	if (size > 0) memcpy(u->bytes + u->size, bytes, size);
	u->size += size;
	return true;
}

void pai_empty(buffer *u) {
	free(u->bytes);
	*u = (buffer){0};
}

/* ---- index ---- */

uint32_t pai_mix(uint32_t hash, uint64_t number) {
	return (uint32_t)pai_keyed_number(hash, number);
}

uint32_t pai_find(const ref_index *x, uint32_t hash, bool (*same)(const void *with, uint32_t ref), const void *with) {
	for (size_t i = hash; x->size > 0; i++) {
		uint64_t slot = x->slots[i & (x->size - 1)];
		if (slot == 0) return 0;
		if (slot >> 32 == hash && same(with, (uint32_t)slot)) return (uint32_t)slot;
	}
	return 0;
}

static void put_slot(uint64_t *slots, size_t size, uint64_t slot) {
	size_t i = slot >> 32;
	while (slots[i & (size - 1)] != 0) i++;
	slots[i & (size - 1)] = slot;
}

static bool enlarge(pa_builder *b, ref_index *x) {
	size_t size = x->size == 0 ? 16 : 2 * x->size;
	uint64_t *slots = calloc(size, sizeof *slots);
	if (slots == NULL) return pai_no_memory(b);
	for (size_t i = 0; i < x->size; i++)
		if (x->slots[i] != 0) put_slot(slots, size, x->slots[i]);
	free(x->slots);
	x->slots = slots;
	x->size = size;
	return true;
}

bool pai_insert(pa_builder *b, ref_index *x, uint32_t hash, uint32_t ref) {
	if (2 * (x->used + 1) > x->size && !enlarge(b, x)) return false;
	put_slot(x->slots, x->size, (uint64_t)hash << 32 | ref);
	x->used++;
	return true;
}

/* ---- sorting ---- */

static bool sorted(const uint32_t *refs, size_t n, pai_order *order, const void *with) {
	for (size_t i = 1; i < n; i++)
		if (order(with, refs[i - 1], refs[i]) > 0) return false;
	return true;
}

/* merge_halves merges two sorted halves. The first half is in spare. */
static void merge_halves(
	uint32_t *refs, const uint32_t *spare, size_t half, size_t n, pai_order *order, const void *with) {
	size_t left = 0, right = half, to = 0;
	while (left < half && right < n)
		refs[to++] = order(with, refs[right], spare[left]) < 0 ? refs[right++] : spare[left++];
	while (left < half) refs[to++] = spare[left++];
}

void pai_sort(uint32_t *refs, uint32_t *spare, size_t n, pai_order *order, const void *with) {
	if (n < 2 || sorted(refs, n, order, with)) return;
	size_t half = n / 2;
	pai_sort(refs, spare, half, order, with);
	pai_sort(refs + half, spare, n - half, order, with);
	memcpy(spare, refs, half * sizeof *refs);
	merge_halves(refs, spare, half, n, order, with);
}
