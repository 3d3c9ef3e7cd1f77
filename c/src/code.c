/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code id of Java bytecodes. It is the XXH64 of their normal form, which restores the bytecodes of the class file
 * and omits padding and indices into the constant pool.
 */
#include "internal.h"

/* Class file bytecodes with unusual operands. */
enum {
	BIPUSH = 16,
	SIPUSH,
	LDC,
	LDC_W,
	LDC2_W,
	ILOAD,
	ALOAD = 25,
	ISTORE = 54,
	ASTORE = 58,
	ALOAD_0 = 42,
	IINC = 132,
	IFEQ = 153,
	JSR = 168,
	RET,
	TABLESWITCH,
	LOOKUPSWITCH,
	RETURN = 177,
	GETSTATIC,
	PUTSTATIC,
	GETFIELD,
	PUTFIELD,
	INVOKEVIRTUAL,
	INVOKESTATIC = 184,
	INVOKEINTERFACE,
	INVOKEDYNAMIC,
	NEW,
	NEWARRAY,
	ANEWARRAY,
	CHECKCAST = 192,
	INSTANCEOF,
	WIDE = 196,
	MULTIANEWARRAY,
	IFNULL,
	IFNONNULL,
	GOTO_W,
	JSR_W,
	BREAKPOINT,
	QUICK
};

/* The class file bytecodes of HotSpot's quick forms, from QUICK on. They are the same in JDK 17 to 25. */
static const uint8_t quick[] = {
	GETFIELD,
	GETFIELD,
	GETFIELD,
	GETFIELD,
	GETFIELD,
	GETFIELD,
	GETFIELD,
	GETFIELD,
	PUTFIELD,
	PUTFIELD,
	PUTFIELD,
	PUTFIELD,
	PUTFIELD,
	PUTFIELD,
	PUTFIELD,
	PUTFIELD,
	PUTFIELD,
	ALOAD_0,
	ALOAD_0,
	ALOAD_0,
	ALOAD_0,
	ILOAD,
	ILOAD,
	ILOAD,
	INVOKEVIRTUAL,
	LOOKUPSWITCH,
	LOOKUPSWITCH,
	LDC,
	LDC_W,
	RETURN,
	INVOKEVIRTUAL,
	GETFIELD,
	PUTFIELD,
	ALOAD_0,
	ILOAD,
};

enum { CASES = 1 << 16 }; /* more than a method can have */

/* Operands of a bytecode. The first skipped bytes are an index or padding, and size bytes are hashed. */
typedef struct operands { uint64_t skipped, size; } operands;

/* java_of finds the class file bytecode for a bytecode in a VM. It returns false if the bytecode is unknown. */
static bool java_of(uint8_t b, uint8_t *java) {
	if (b == BREAKPOINT || b >= QUICK + sizeof quick) return false;
	*java = b < QUICK ? b : quick[b - QUICK];
	return true;
}

static int64_t number(const uint8_t *p) {
	return (int32_t)((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]);
}

/* cases clamps the number of cases of a switch to [0, CASES]. */
static uint64_t cases(int64_t n) { return n < 0 ? 0 : n > CASES ? CASES : (uint64_t)n; }

static bool switch_at(const uint8_t *code, uint64_t size, uint64_t at, bool table, operands *o) {
	uint64_t front = table ? 12 : 8;
	o->skipped = 3 - at % 4;
	const uint8_t *p = code + at + 1 + o->skipped;
	if (at + 1 + o->skipped + front > size) return false;
	o->size = front + (table ? 4 * cases(number(p + 8) - number(p + 4) + 1) : 8 * cases(number(p + 4)));
	return true;
}

static operands fixed(uint8_t b) {
	if (b == LDC) return (operands){1, 0};
	if (b == LDC_W || b == LDC2_W || (b >= GETSTATIC && b <= INVOKESTATIC) || b == NEW || b == ANEWARRAY ||
		b == CHECKCAST || b == INSTANCEOF)
		return (operands){2, 0};
	if (b == INVOKEINTERFACE) return (operands){2, 2};
	if (b == INVOKEDYNAMIC) return (operands){4, 0};
	if (b == MULTIANEWARRAY) return (operands){2, 1};
	if (b == BIPUSH || (b >= ILOAD && b <= ALOAD) || (b >= ISTORE && b <= ASTORE) || b == RET || b == NEWARRAY)
		return (operands){0, 1};
	if (b == SIPUSH || b == IINC || (b >= IFEQ && b <= JSR) || b == IFNULL || b == IFNONNULL) return (operands){0, 2};
	if (b == GOTO_W || b == JSR_W) return (operands){0, 4};
	return (operands){0, 0};
}

/* bytecode_at decodes the class file bytecode at an offset and its operands. It returns false if there is none. */
static bool bytecode_at(const uint8_t *code, uint64_t size, uint64_t at, uint8_t *java, operands *o) {
	if (!java_of(code[at], java)) return false;
	if (*java == TABLESWITCH || *java == LOOKUPSWITCH) {
		if (!switch_at(code, size, at, *java == TABLESWITCH, o)) return false;
	} else if (*java == WIDE) {
		*o = (operands){0, at + 1 < size && code[at + 1] == IINC ? 5 : 3};
	} else {
		*o = fixed(*java);
	}
	return o->skipped + o->size < size - at;
}

uint64_t pa_hotspot_code_id(const uint8_t *code, size_t size) {
	sum s;
	operands o;
	uint8_t java;
	if (code == NULL) return PA_UNKNOWN_CODE;
	pai_sum_begin(&s);
	for (uint64_t at = 0; at < size; at += 1 + o.skipped + o.size) {
		if (!bytecode_at(code, size, at, &java, &o)) return PA_UNKNOWN_CODE;
		pai_sum_add(&s, &java, 1);
		pai_sum_add(&s, code + at + 1 + o.skipped, (size_t)o.size);
	}
	uint64_t id = pai_sum_end(&s);
	return id == 0 ? 1 : id;
}
