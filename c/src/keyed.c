/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes for tables in memory. The id of a key is no such hash, because keys with one id can be made on purpose. This
 * is SipHash-1-3 with a random key of the process. */
#include <time.h>

#include "internal.h"

static uint64_t key[2];

/* make_key draws the key. Without a source of random numbers the key is one that is hard to guess. */
static void make_key(void) {
	uint8_t id[16];
	if (!pai_random(id)) {
		const uint64_t weak[] = {
			(uint64_t)(uintptr_t)&id, (uint64_t)(uintptr_t)&key, (uint64_t)time(NULL), (uint64_t)clock()};
		uint64_t first = pai_xxh64(NULL, 0, (const uint8_t *)weak, sizeof weak);
		memcpy(id, &first, sizeof first);
		memcpy(id + 8, weak, 8);
	}
	memcpy(key, id, sizeof key);
}

static uint64_t rotl(uint64_t v, int n) { return v << n | v >> (64 - n); }

static inline void round_of(uint64_t v[4]) {
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] = rotl(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] = rotl(v[2], 32);
}

static inline void add(uint64_t v[4], uint64_t word) {
	v[3] ^= word;
	round_of(v);
	v[0] ^= word;
}

uint64_t pai_keyed_hash(uint64_t h, pa_text text) {
	static pthread_once_t made = PTHREAD_ONCE_INIT;
	pthread_once(&made, make_key);
	const uint8_t *p = (const uint8_t *)text.bytes;
	uint64_t a = key[0] ^ h, b = key[1], end = (uint64_t)text.size << 56;
	uint64_t v[4] = {a ^ 0x736f6d6570736575, b ^ 0x646f72616e646f6d, a ^ 0x6c7967656e657261, b ^ 0x7465646279746573};
	size_t n = text.size;
	for (; n >= 8; n -= 8, p += 8) add(v, get64(p));
	for (size_t i = 0; i < n; i++) end |= (uint64_t)p[i] << 8 * i;
	add(v, end);
	v[2] ^= 0xff;
	for (unsigned i = 0; i < 3; i++) round_of(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t pai_keyed_number(uint64_t h, uint64_t number) {
	return pai_keyed_hash(h, (pa_text){(const char *)&number, sizeof number});
}
