//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* XXH64 with seed 0, of libprofarc: a head of whole stripes, and the rest. */
uint64_t pai_xxh64(const uint8_t *head, uint64_t head_size, const uint8_t *rest, uint64_t size);

/* Bytecodes that need a name. */
enum {
	BIPUSH = 16, SIPUSH = 17, LDC = 18, LDC_W = 19, LDC2_W = 20, ILOAD = 21, ALOAD = 25, ALOAD_0 = 42, ISTORE = 54, ASTORE = 58,
	IINC = 132, IFEQ = 153, JSR = 168, RET = 169, TABLESWITCH = 170, LOOKUPSWITCH = 171, RETURN = 177, GETSTATIC = 178, GETFIELD = 180,
	PUTFIELD = 181, INVOKEVIRTUAL = 182, INVOKESTATIC = 184, INVOKEINTERFACE = 185, INVOKEDYNAMIC = 186, NEW = 187, NEWARRAY = 188,
	ANEWARRAY = 189, CHECKCAST = 192, INSTANCEOF = 193, WIDE = 196, MULTIANEWARRAY = 197, IFNULL = 198, IFNONNULL = 199, GOTO_W = 200,
	JSR_W = 201, BREAKPOINT = 202
};

/* What each quick form, from 203 on, stands for. They are the same in JDK 17 to 25. */
static const uint8_t quick[] = {
	GETFIELD, GETFIELD, GETFIELD, GETFIELD, GETFIELD, GETFIELD, GETFIELD, GETFIELD,
	PUTFIELD, PUTFIELD, PUTFIELD, PUTFIELD, PUTFIELD, PUTFIELD, PUTFIELD, PUTFIELD, PUTFIELD,
	ALOAD_0, ALOAD_0, ALOAD_0, ALOAD_0, ILOAD, ILOAD, ILOAD, INVOKEVIRTUAL, LOOKUPSWITCH, LOOKUPSWITCH, LDC, LDC_W, RETURN,
	INVOKEVIRTUAL, GETFIELD, PUTFIELD, ALOAD_0, ILOAD,
};

/* operands sets the sizes of the operands of a bytecode of fixed size: an index into the constant pool, then all else. */
static void operands(uint8_t c, uint32_t *pool, uint32_t *rest) {
	*pool = *rest = 0;
	if (c == LDC) *pool = 1;
	else if (c == LDC_W || c == LDC2_W || (c >= GETSTATIC && c <= INVOKESTATIC) || c == NEW || c == ANEWARRAY || c == CHECKCAST || c == INSTANCEOF) *pool = 2;
	else if (c == INVOKEINTERFACE) *pool = 2, *rest = 2;
	else if (c == INVOKEDYNAMIC) *pool = 4;
	else if (c == MULTIANEWARRAY) *pool = 2, *rest = 1;
	else if (c == BIPUSH || (c >= ILOAD && c <= ALOAD) || (c >= ISTORE && c <= ASTORE) || c == RET || c == NEWARRAY) *rest = 1;
	else if (c == SIPUSH || c == IINC || (c >= IFEQ && c <= JSR) || c == IFNULL || c == IFNONNULL) *rest = 2;
	else if (c == GOTO_W || c == JSR_W) *rest = 4;
}

static int64_t word(const uint8_t *p) { return (int32_t)((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]); }

/* switch_size is the size of a switch from its default on; past the end of the code if it has no end there. */
static uint64_t switch_size(uint8_t c, const uint8_t *code, uint32_t size, uint32_t from) {
	if (from + 12 > size && !(c == LOOKUPSWITCH && from + 8 <= size)) return size;
	int64_t n = c == LOOKUPSWITCH ? word(code + from + 4) : word(code + from + 8) - word(code + from + 4) + 1;
	if (n < 0) n = 0;
	if (n > 1 << 16) n = 1 << 16;
	return c == LOOKUPSWITCH ? 8 + 8 * (uint64_t)n : 12 + 4 * (uint64_t)n;
}

typedef struct instruction { uint8_t java; uint32_t from, end; } instruction;

/* next decodes the bytecode at a place: that of the class file, where its operands without an index begin, and its end. */
static bool next(const uint8_t *code, uint32_t size, uint32_t at, instruction *i) {
	uint8_t c = code[at];
	uint32_t pool, rest;
	if (c == BREAKPOINT || c >= BREAKPOINT + 1 + sizeof quick) return false;
	if (c > BREAKPOINT) c = quick[c - BREAKPOINT - 1];
	uint64_t from = at + 1, end;
	if (c == TABLESWITCH || c == LOOKUPSWITCH) {
		from = at + 4 - at % 4;
		end = from + switch_size(c, code, size, (uint32_t)from);
	} else if (c == WIDE) {
		end = at + (from < size && code[from] == IINC ? 6 : 4);
	} else {
		operands(c, &pool, &rest);
		from += pool, end = from + rest;
	}
	if (end > size) return false;
	*i = (instruction){c, (uint32_t)from, (uint32_t)end};
	return true;
}

/* normalize writes the normal form of code, which is no longer than the code, and sets its size. */
static bool normalize(const uint8_t *code, uint32_t size, uint8_t *normal, uint32_t *n) {
	instruction i;
	*n = 0;
	for (uint32_t at = 0; at < size; at = i.end) {
		if (!next(code, size, at, &i)) return false;
		normal[(*n)++] = i.java;
		memcpy(normal + *n, code + i.from, i.end - i.from);
		*n += i.end - i.from;
	}
	return true;
}

uint64_t code_id(const uint8_t *code, uint32_t size) {
	uint8_t small[1024]; /* a class may be prepared deep in a thread's stack */
	uint8_t *normal = size <= sizeof small ? small : malloc(size);
	uint32_t n;
	if (normal == NULL) return 0;
	uint64_t id = 0;
	if (normalize(code, size, normal, &n)) {
		id = pai_xxh64(NULL, 0, normal, n);
		if (id == 0) id = 1;
	}
	if (normal != small) free(normal);
	return id;
}
