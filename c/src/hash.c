/* SPDX-License-Identifier: Apache-2.0 */
/* The hash functions of docs/format.md, which are XXH64, MD5 and fold. */
#include "internal.h"

static const uint64_t P1 = 0x9e3779b185ebca87, P2 = 0xc2b2ae3d27d4eb4f, P3 = 0x165667b19e3779f9,
					  P4 = 0x85ebca77c2b2ae63, P5 = 0x27d4eb2f165667c5;

static uint64_t rotl(uint64_t v, int n) { return v << n | v >> (64 - n); }
static uint64_t lane(uint64_t acc, uint64_t w) { return rotl(acc + w * P2, 31) * P1; }
static uint64_t merge(uint64_t h, uint64_t acc) { return (h ^ lane(0, acc)) * P1 + P4; }

/* stripes consumes whole stripes of 32 bytes and returns the rest. */
static const uint8_t *stripes(uint64_t v[4], const uint8_t *p, uint64_t n) {
	for (; n >= 32; n -= 32, p += 32) {
		v[0] = lane(v[0], get64(p));
		v[1] = lane(v[1], get64(p + 8));
		v[2] = lane(v[2], get64(p + 16));
		v[3] = lane(v[3], get64(p + 24));
	}
	return p;
}

/* finish returns the hash of length bytes. v has all of them except the last n bytes at p, less than a stripe. */
static uint64_t finish(const uint64_t v[4], uint64_t length, const uint8_t *p, uint64_t n) {
	uint64_t h = P5;
	if (length >= 32) {
		h = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18);
		h = merge(merge(merge(merge(h, v[0]), v[1]), v[2]), v[3]);
	}
	for (h += length; n >= 8; n -= 8, p += 8) h = rotl(h ^ lane(0, get64(p)), 27) * P1 + P4;
	if (n >= 4) {
		h = rotl(h ^ get32(p) * P1, 23) * P2 + P3;
		n -= 4;
		p += 4;
	}
	for (; n > 0; n--, p++) h = rotl(h ^ *p * P5, 11) * P1;
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	return h ^ h >> 32;
}

#define START {P1 + P2, P2, 0, 0 - P1}

/* pai_xxh64 returns the hash of two pieces. head_size must be a multiple of 32. */
uint64_t pai_xxh64(const uint8_t *head, uint64_t head_size, const uint8_t *p, uint64_t n) {
	uint64_t v[4] = START;
	stripes(v, head, head_size);
	return finish(v, head_size + n, stripes(v, p, n), n % 32);
}

void pai_sum_begin(sum *s) { *s = (sum){.v = START}; }

void pai_sum_add(sum *s, const uint8_t *p, size_t n) {
	for (; n > 0; n--, p++) {
		s->tail[s->length++ % 32] = *p;
		if (s->length % 32 == 0) stripes(s->v, s->tail, 32);
	}
}

uint64_t pai_sum_end(const sum *s) { return finish(s->v, s->length, s->tail, s->length % 32); }

static const uint64_t K0 = 0xa0761d6478bd642f, K1 = 0xe7037ed1a0b428db, K2 = 0x8ebc6af09c88c6e3;

static uint64_t mum(uint64_t a, uint64_t b) {
	uint64_t low, high = pai_multiply(a, b, &low);
	return high ^ low;
}

/* last folds the last 16 bytes or fewer. */
static uint64_t last(uint64_t h, const uint8_t *p, uint64_t n) {
	uint64_t a = 0, b = 0;
	if (n >= 8) {
		a = get64(p);
		b = get64(p + n - 8);
	} else if (n >= 4) {
		a = get32(p);
		b = get32(p + n - 4);
	} else if (n > 0) a = (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
	return mum(a ^ K1, b ^ h);
}

uint64_t pai_fold_start(void) { return K0; }

uint64_t pai_fold(uint64_t h, pa_text text) {
	const uint8_t *p = (const uint8_t *)text.bytes;
	uint64_t n = text.size;
	for (h ^= n * K2; n > 16; n -= 16, p += 16) h = mum(get64(p) ^ K0, get64(p + 8) ^ h);
	return last(h, p, n);
}

void pai_fold_begin(fold *f, uint64_t h, uint64_t length) {
	f->h = h ^ length * K2;
	f->n = 0;
}

void pai_fold_add(fold *f, pa_text piece) {
	for (size_t i = 0; i < piece.size; i++) {
		if (f->n == 16) { /* more bytes follow, so these are not the last */
			f->h = mum(get64(f->tail) ^ K0, get64(f->tail + 8) ^ f->h);
			f->n = 0;
		}
		f->tail[f->n++] = (uint8_t)piece.bytes[i];
	}
}

uint64_t pai_fold_end(fold *f) { return last(f->h, f->tail, f->n); }

/* The constants of MD5 (RFC 1321), derived from sines. */
static const uint32_t sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static void md5_block(uint32_t state[4], const uint8_t *p) {
	static const uint8_t turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	for (unsigned i = 0; i < 64; i++) {
		uint32_t f;
		unsigned word;
		switch (i / 16) {
		case 0: f = (b & c) | (~b & d); word = i; break;
		case 1: f = (d & b) | (~d & c); word = 5 * i + 1; break;
		case 2: f = b ^ c ^ d; word = 3 * i + 5; break;
		default: f = c ^ (b | ~d);
		word = 7 * i;
		}
		uint32_t sum = a + f + sines[i] + get32(p + word % 16 * 4);
		unsigned turn = turns[i / 16][i % 4];
		a = d;
		d = c;
		c = b;
		b += sum << turn | sum >> (32 - turn);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

/* pai_md5 returns the first 8 bytes of the MD5 of a text. */
uint64_t pai_md5(pa_text text) {
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	const uint8_t *p = (const uint8_t *)text.bytes;
	size_t n = text.size;
	for (; n >= 64; n -= 64, p += 64) md5_block(state, p);
	uint8_t end[128] = {0};
	size_t size = n < 56 ? 64 : 128;
	if (n > 0) memcpy(end, p, n);
	end[n] = 0x80;
	for (unsigned i = 0; i < 8; i++) end[size - 8 + i] = (uint8_t)((uint64_t)text.size * 8 >> 8 * i);
	md5_block(state, end);
	if (size == 128) md5_block(state, end + 64);
	return state[0] | (uint64_t)state[1] << 32;
}
