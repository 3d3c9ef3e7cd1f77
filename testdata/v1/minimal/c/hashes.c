#include "hashes.h"

#include <math.h>
#include <string.h>

static const uint64_t P1 = 0x9e3779b185ebca87, P2 = 0xc2b2ae3d27d4eb4f, P3 = 0x165667b19e3779f9;
static const uint64_t P4 = 0x85ebca77c2b2ae63, P5 = 0x27d4eb2f165667c5;
static const uint64_t K1 = 0xe7037ed1a0b428db, K2 = 0x8ebc6af09c88c6e3;

uint16_t read16(const uint8_t *b) { return (uint16_t)(b[0] | b[1] << 8); }
uint32_t read32(const uint8_t *b) { return read16(b) | (uint32_t)read16(b + 2) << 16; }
uint64_t read64(const uint8_t *b) { return read32(b) | (uint64_t)read32(b + 4) << 32; }

uint64_t high64(uint64_t a, uint64_t b) { return (uint64_t)((unsigned __int128)a * b >> 64); }

static uint64_t rotl(uint64_t v, int n) { return v << n | v >> (64 - n); }
static uint64_t round64(uint64_t acc, uint64_t w) { return rotl(acc + w * P2, 31) * P1; }

uint64_t xxh64(const uint8_t *b, uint64_t size) {
    static const int turns[4] = {1, 7, 12, 18};
    const uint8_t *end = b + size;
    uint64_t v[4] = {P1 + P2, P2, 0, 0 - P1};
    uint64_t h = size < 32 ? P5 : 0;
    for (; end - b >= 32; b += 32)
        for (int i = 0; i < 4; i++) v[i] = round64(v[i], read64(b + 8 * i));
    if (size >= 32) {
        for (int i = 0; i < 4; i++) h += rotl(v[i], turns[i]);
        for (int i = 0; i < 4; i++) h = (h ^ round64(0, v[i])) * P1 + P4;
    }
    h += size;
    for (; end - b >= 8; b += 8) h = rotl(h ^ round64(0, read64(b)), 27) * P1 + P4;
    if (end - b >= 4) {
        h = rotl(h ^ read32(b) * P1, 23) * P2 + P3;
        b += 4;
    }
    for (; b < end; b++) h = rotl(h ^ *b * P5, 11) * P1;
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    return h ^ h >> 32;
}

static uint64_t mum(uint64_t a, uint64_t b) { return high64(a, b) ^ a * b; }

uint64_t fold(uint64_t h, const uint8_t *b, uint64_t size) {
    uint64_t first = 0, last = 0;
    h ^= size * K2;
    for (; size > 16; b += 16, size -= 16) h = mum(read64(b) ^ FOLD_START, read64(b + 8) ^ h);
    if (size >= 8) {
        first = read64(b);
        last = read64(b + size - 8);
    } else if (size >= 4) {
        first = read32(b);
        last = read32(b + size - 4);
    } else if (size > 0) {
        first = (uint64_t)b[0] << 16 | (uint64_t)b[size / 2] << 8 | b[size - 1];
    }
    return mum(first ^ K1, last ^ h);
}

static void md5_block(uint32_t state[4], const uint8_t *block) {
    static const int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t mixed[4] = {(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)};
        uint32_t word[4] = {i, 5 * i + 1, 3 * i + 5, 7 * i};
        uint32_t constant = (uint32_t)(fabs(sin(i + 1.0)) * 4294967296.0);
        uint32_t sum = a + mixed[i / 16] + constant + read32(block + 4 * (word[i / 16] % 16));
        int turn = turns[i / 16][i % 4];
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

uint64_t md5_start(const uint8_t *b, uint64_t size) {
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    uint8_t last[128] = {0};
    uint64_t rest = size % 64, end = rest < 56 ? 64 : 128;
    for (uint64_t at = 0; at + 64 <= size; at += 64) md5_block(state, b + at);
    memcpy(last, b + (size - rest), rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++) last[end - 8 + i] = (uint8_t)(8 * size >> 8 * i);
    for (uint64_t at = 0; at < end; at += 64) md5_block(state, last + at);
    return state[0] | (uint64_t)state[1] << 32;
}
