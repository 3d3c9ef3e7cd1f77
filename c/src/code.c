/* SPDX-License-Identifier: Apache-2.0 */
/* The code id of Java's bytecodes: the XXH64 of their normal form, which leaves out indices into the constant pool and padding. */
#include "internal.h"

/* The bytecodes of class files that differ from others in their operands. */
enum { BIPUSH = 16, SIPUSH, LDC, LDC_W, LDC2_W, ILOAD, ALOAD = 25, ISTORE = 54, ASTORE = 58, IINC = 132, IFEQ = 153, JSR = 168, RET, TABLESWITCH, LOOKUPSWITCH,
       GETSTATIC = 178, INVOKESTATIC = 184, INVOKEINTERFACE, INVOKEDYNAMIC, NEW, NEWARRAY, ANEWARRAY, CHECKCAST = 192, INSTANCEOF, WIDE = 196,
       MULTIANEWARRAY, IFNULL, IFNONNULL, GOTO_W, JSR_W, BYTECODES };
enum { CASES = 1 << 16 }; /* more than code can have */

/* A bytecode: the sizes of an index or of padding, and of the operands that count. */
typedef struct operands { uint64_t skipped, size; } operands;

static int64_t number(const uint8_t *p) { return (int32_t)((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]); }

/* cases is the number of cases of a switch, bounded by what code can have. */
static uint64_t cases(int64_t n) { return n < 0 ? 0 : n > CASES ? CASES : (uint64_t)n; }

static bool switch_at(const uint8_t *code, uint64_t size, uint64_t at, operands *o) {
	bool table = code[at] == TABLESWITCH;
	uint64_t front = table ? 12 : 8;
	o->skipped = 3 - at % 4;
	const uint8_t *p = code + at + 1 + o->skipped;
	if (at + 1 + o->skipped + front > size) return false;
	o->size = front + (table ? 4 * cases(number(p + 8) - number(p + 4) + 1) : 8 * cases(number(p + 4)));
	return true;
}

static operands fixed(uint8_t b) {
	if (b == LDC) return (operands){1, 0};
	if (b == LDC_W || b == LDC2_W || (b >= GETSTATIC && b <= INVOKESTATIC) || b == NEW || b == ANEWARRAY || b == CHECKCAST || b == INSTANCEOF) return (operands){2, 0};
	if (b == INVOKEINTERFACE) return (operands){2, 2};
	if (b == INVOKEDYNAMIC) return (operands){4, 0};
	if (b == MULTIANEWARRAY) return (operands){2, 1};
	if (b == BIPUSH || (b >= ILOAD && b <= ALOAD) || (b >= ISTORE && b <= ASTORE) || b == RET || b == NEWARRAY) return (operands){0, 1};
	if (b == SIPUSH || b == IINC || (b >= IFEQ && b <= JSR) || b == IFNULL || b == IFNONNULL) return (operands){0, 2};
	if (b == GOTO_W || b == JSR_W) return (operands){0, 4};
	return (operands){0, 0};
}

/* operands_at finds the operands of the bytecode at a place; false if there is none. */
static bool operands_at(const uint8_t *code, uint64_t size, uint64_t at, operands *o) {
	if (code[at] >= BYTECODES) return false;
	if (code[at] == TABLESWITCH || code[at] == LOOKUPSWITCH) {
		if (!switch_at(code, size, at, o)) return false;
	} else if (code[at] == WIDE) {
		*o = (operands){0, at + 1 < size && code[at + 1] == IINC ? 5 : 3};
	} else {
		*o = fixed(code[at]);
	}
	return o->skipped + o->size < size - at;
}

uint64_t pa_code_id(const uint8_t *code, size_t size) {
	sum s;
	operands o;
	pai_sum_begin(&s);
	for (uint64_t at = 0; at < size; at += 1 + o.skipped + o.size) {
		if (!operands_at(code, size, at, &o)) return PA_UNKNOWN_CODE;
		pai_sum_add(&s, code + at, 1);
		pai_sum_add(&s, code + at + 1 + o.skipped, (size_t)o.size);
	}
	uint64_t id = pai_sum_end(&s);
	return id == 0 ? 1 : id;
}
