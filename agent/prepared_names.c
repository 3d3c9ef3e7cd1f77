//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "prepared_names.h"

#include <pthread.h>
#include <stdlib.h>

/* A hash set. A free slot is 0, and at most half of the slots are used. */
static struct {
	pthread_mutex_t lock;
	uint64_t *places;
	size_t n, room; /* capacity, a power of two */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* hash_of returns the FNV-1a hash, but never 0. */
static uint64_t hash_of(pa_text name) {
	uint64_t h = 0xcbf29ce484222325;
	for (size_t i = 0; i < name.size; i++) h = (h ^ (uint8_t)name.bytes[i]) * 0x100000001b3;
	return h == 0 ? 1 : h;
}

/* place_of returns the slot of a hash, or the free slot for it. */
static uint64_t *place_of(uint64_t h) {
	size_t i = (size_t)(h ^ h >> 32) & (all.room - 1);
	while (all.places[i] != 0 && all.places[i] != h) i = (i + 1) & (all.room - 1);
	return &all.places[i];
}

/* grow doubles the capacity when half of the slots are used. */
static bool grow(void) {
	if (2 * all.n < all.room) return true;
	uint64_t *old = all.places;
	size_t room = all.room, more = room == 0 ? 4096 : 2 * room;
	uint64_t *places = calloc(more, sizeof *places);
	if (places == NULL) return false;
	all.places = places;
	all.room = more;
	for (size_t i = 0; i < room; i++)
		if (old[i] != 0) *place_of(old[i]) = old[i];
	free(old);
	return true;
}

void prepared_names_add(pa_text name) {
	uint64_t h = hash_of(name);
	pthread_mutex_lock(&all.lock);
	if (grow()) {
		uint64_t *place = place_of(h);
		all.n += *place == 0;
		*place = h;
	}
	pthread_mutex_unlock(&all.lock);
}

bool prepared_names_has(pa_text name) {
	uint64_t h = hash_of(name);
	pthread_mutex_lock(&all.lock);
	bool has = all.room > 0 && *place_of(h) == h;
	pthread_mutex_unlock(&all.lock);
	return has;
}
