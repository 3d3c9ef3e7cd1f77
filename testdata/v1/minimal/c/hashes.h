/* The hashes of docs/format.md, on texts of any bytes. */
#ifndef HASHES_H
#define HASHES_H

#include <stdint.h>

static const uint64_t FOLD_START = 0xa0761d6478bd642f;

uint64_t read64(const uint8_t *b);
uint32_t read32(const uint8_t *b);
uint16_t read16(const uint8_t *b);
uint64_t high64(uint64_t a, uint64_t b); /* the high half of the product */
uint64_t xxh64(const uint8_t *b, uint64_t size);
uint64_t fold(uint64_t h, const uint8_t *b, uint64_t size);
uint64_t md5_start(const uint8_t *b, uint64_t size); /* the first 8 bytes of the MD5 */

#endif
